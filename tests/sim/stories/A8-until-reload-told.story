# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: a member whose dead_after a reload makes shorter asks its leader at once. The
# questions are lost, and the leader stalls with its next beacon.
hosts 4
seeds 1..40
set priority 1 200
set silence all 0ms
start all
expect leader 1 within 5s
run 1s
mark m
drop AYThere from 3 to 1 count 3
set dead_after 3 420ms
stall 1 3s when it sends AYCoord
expect two leaders since m within 2s
run 5s
expect one group of 4 within 5s
