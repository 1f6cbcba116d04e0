# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: a member that has lost the last beacons of a stalled leader succeeds to it, may
# not lead, and hands over to a member that has received them. This one leads no sooner than after
# any other silence, so the leader, which wakes before that, has the role alone.
hosts 4
seeds 1..25
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
hold 2 on
run 1s
cut 1 > 2
run 200ms
mark m
stall 1 450ms when it sends AYCoord
run 600ms
expect no two leaders since m
heal
run 4s
expect one group of 4 within 5s
expect leaders 1
