# SPDX-License-Identifier: Apache-2.0
# 4.8: beacons of 10 ms: who waits for those that do not answer waits no longer, in beacons, than with
# those of 200; nor does who waits for a better one to act, or for a disk.
hosts 5
seeds 1..20
set beacon all 10ms
set dead_after all 30ms
set start_hold all 30ms
set lone_hold all 60ms
set priority 1 200
start all
expect leader 1 within 55ms
run 1s
split 1 2 | 3 4 5
expect leaders 2 within 60ms
run 1s
heal
expect led within 40ms
