# SPDX-License-Identifier: Apache-2.0
# 4.8: beacons of 10 ms: the third in succession leads as soon, in beacons, as with those of 200.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
set beacon all 10ms
set dead_after all 30ms
set start_hold all 30ms
set lone_hold all 60ms
start all
expect leader 1 within 5 beacons
run 1s
crash 1 2
expect led within 80ms
