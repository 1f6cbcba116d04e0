# SPDX-License-Identifier: Apache-2.0
# M15: hosts that disagree about preempt all treat it as off and say so; else each is better than the
# other, for ever.
hosts 4
seeds 1..10
set preempt 1..2 on
set priority 1 200
split 1 2 | 3 4
start all
run 4s
heal
expect led within 15 beacons
expect problem 1 preempt-differs within 10 beacons
expect problem 3 preempt-differs within 10 beacons
mark m
run 5s
expect elections == 0 since m
