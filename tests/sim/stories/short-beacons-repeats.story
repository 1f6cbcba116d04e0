# SPDX-License-Identifier: Apache-2.0
# 4.8, F19: beacons of 10 ms: an Invitation or a list that is lost is repeated before the next beacon.
hosts 5
seeds 1..20
set beacon all 10ms
set dead_after all 30ms
set start_hold all 30ms
set lone_hold all 60ms
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
drop Invitation from 2 count 4
drop Ready from 2 count 4
crash 1
expect led within 60ms
