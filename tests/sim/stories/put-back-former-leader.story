# SPDX-License-Identifier: Apache-2.0
# trust.md 3, put back: a host has yielded, and five seconds later its machine is put back to a snapshot in
# which it led. The next leader has heard of it, since then, only sequences above a large gap, for a leader
# sends to many. It is told all the same.
hosts 12
seeds 1..30
start 1
run 1s
start 2..12
expect leader 1 within 10s
expect one group of 12 within 10s
run 60s
snapshot 1
run 20s
resign 1 to 2
run 5s
expect no leader 1
mark back
put-back 1
run 3s
expect in total anew >= 29 since back
