# SPDX-License-Identifier: Apache-2.0
# trust.md 3, put back, by bully: the same holds for a follower and for the leader.
algorithm bully
hosts 4
seeds 1..20
start 1..4
expect led within 5s
expect one group of 4 within 3s
run 2s
snapshot 1 2 3 4
run 36s
mark back
put-back 1
run 3s
expect anew >= 1 since back
expect one group of 4 within 3s
expect led
mark back
put-back 2
run 3s
expect anew >= 1 since back
expect one group of 4 within 3s
expect led
mark back
put-back 3
run 3s
expect one group of 4 within 3s
expect led
put-back 4
run 3s
expect one group of 4 within 3s
expect led
expect always one group of 4 for 5s
