# SPDX-License-Identifier: Apache-2.0
# trust.md 3, put back: two LANs, and loss. What a window takes for a copy that came by the other LAN is
# a sign, too.
hosts 4
lans 2
seeds 1..20
start 4
run 1s
start 1..3
expect leader 4 within 3s
expect one group of 4 within 3s
run 2s
snapshot 1 2
run 6s
mark back
put-back 1
run 2s
expect anew == 1 since back
expect one group of 4 within 1s
expect always one group of 4 for 5s
expect made == 0 since back
run 1 h
loss 100
mark back
put-back 1 2
run 5s
expect anew >= 1 since back
expect one group of 4 within 5s
loss 0
run 5s
expect always one group of 4 for 5s
expect leader 4
