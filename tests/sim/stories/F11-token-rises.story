# SPDX-License-Identifier: Apache-2.0
# F11: two sides of a split lead with different tokens; the merged group's is above both.
hosts 5
set priority 1 200
set priority 3 150
start all
expect leader 1 within 5 beacons
run 1s
split 1 2 | 3 4 5
run 4s
expect leaders 2
expect token of 3 > token of 1
heal
expect leader 3 within 10 beacons
expect token of 3 > token of 1
run 2s
crash 3
expect leader 1 within 10 beacons
expect token of 1 > token of 3
