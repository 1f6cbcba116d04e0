# SPDX-License-Identifier: Apache-2.0
# 4.10: a beacon that one member alone has lost is a question of it, and nothing else.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
run 1s
mark m
drop AYCoord from 1 to 2
expect no change for 1s
expect sent AYThere <= 25 since m
expect elections == 0 since m
