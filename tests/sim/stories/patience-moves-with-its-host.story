# SPDX-License-Identifier: Apache-2.0
# 4.13: patience is with one host: who leads in its place is succeeded to as soon as ever.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
crash 1
expect leader 2 within 3s
run 3s
mark m
stall 2 900ms
run 3s
expect succeeded == 2 since m
