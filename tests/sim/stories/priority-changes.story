# SPDX-License-Identifier: Apache-2.0
# Priority 0 on a leader is a resignation.
hosts 3
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
priority 1 0
expect leader 2 within 2 beacons
expect one group of 3 within 10 beacons
