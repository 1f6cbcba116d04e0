# SPDX-License-Identifier: Apache-2.0
# Datagrams of a session that is over reach hosts that know the next one, and a host that has just
# started and knows nothing.
hosts 4
seeds 1..10
set priority 1 200
set priority 4 50
start all
expect leader 1 within 5 beacons
run 2s
crash 1
expect led within 5 beacons
run 1s
mark m
replay AYCoord from 1
replay Ready from 1
replay Invitation from 1
run 1s
expect elections == 0 since m
crash 4
run 1s
restart 4
replay AYCoord from 1 to 4
replay Ready from 1 to 4 in 20ms
replay Invitation from 1 to 4 in 40ms
expect same group 2 3 4 within 8 beacons
expect formed == 0 since m
