# SPDX-License-Identifier: Apache-2.0
# 4.4: the first in succession misses four beacons, asks, and is told that its coordinator lives.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
drop AYCoord from 1 to 2 count 4
expect no change for 3s
