# SPDX-License-Identifier: Apache-2.0
# M6: a host on a flapping link, however good, does not take over the group it falls out of.
hosts 6
seeds 1..5
set priority 1 150
set priority 6 200
set preempt all off
start 1..5
expect leader 1 within 5 beacons
start 6
expect one group of 6 within 10 beacons
run 2s
mark m
flap 1 - 6 every 900ms times 10
flap 2 - 6 every 900ms times 10
flap 3 - 6 every 900ms times 10
flap 4 - 6 every 900ms times 10
flap 5 - 6 every 900ms times 10
expect always role 1 leader for 20s
expect one group of 6 within 10 beacons
expect made == 0 since m
