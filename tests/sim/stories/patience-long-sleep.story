# SPDX-License-Identifier: Apache-2.0
# 4.13: who was asleep for longer than patience could bear has not been wronged: it is taken for dead as soon
# as before.
hosts 5
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 10s
run 20s
stall 1 10s
run 20s
stall 1 10s
run 20s
mark m
stall 1 790ms
run 5s
expect succeeded == 2 since m
