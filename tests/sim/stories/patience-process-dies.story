# SPDX-License-Identifier: Apache-2.0
# 4.13: a process that stood still is no host that pauses: when its host dies, early doubt is as early as
# ever.
hosts 5
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
crash 1
expect one group of 4 within 490ms
expect led
