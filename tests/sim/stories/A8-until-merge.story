# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: a leader stalls in its merge, while hosts that have accepted wait for its list:
# they form a group soon, and lead it no sooner than after any other silence.
hosts 5
seeds 1..25
set priority 1 200
start 1..3
expect leader 1 within 6 beacons
split 1 2 3 | 4 5
start 4..5
run 4s
stall 1 3s when it sends Invitation skip 1
heal
run 8s
expect one group of 5 within 5s
