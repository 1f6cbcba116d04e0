# SPDX-License-Identifier: Apache-2.0
# Q1: a leader that stood still for a moment reads what its members answered before it judges.
hosts 5
seeds 1..20
set quorum all 3
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 300ms
run 1300ms
stall 1 300ms
run 1300ms
stall 1 300ms
run 2s
expect made == 0 since m
