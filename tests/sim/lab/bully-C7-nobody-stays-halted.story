# SPDX-License-Identifier: Apache-2.0
# C7: whoever halts others dies, and the next one, too.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
set priority 3 140
start all
expect leader 1 within 8 beacons
run 2s
crash 2 when it sends EnterElection
crash 3 when it sends SetCoord
crash 1
run 4s
expect led
expect one group of 3 within 10 beacons
