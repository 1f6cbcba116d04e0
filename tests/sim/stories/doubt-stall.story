# SPDX-License-Identifier: Apache-2.0
# 4.10: a process that stands still has a kernel that answers: it keeps its role. Nor do members that
# stand still blame their leader.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 300ms
run 1300ms
stall 1 350ms
run 1300ms
stall 2 300ms
stall 3 250ms
run 1300ms
stall 1 300ms
stall 2 300ms
expect no change for 2s
expect elections == 0 since m
