# SPDX-License-Identifier: Apache-2.0
# F1: 1 and 3 cannot hear each other, 2 hears both. Two leaders, which is said on both ends, and
# the groups do not flap.
hosts 3
set priority 1 200
set priority 3 150
cut 1 - 3
start all
run 5s
expect leaders 2
expect foreign 3 1 within 30 beacons
expect problem 3 broken-links
expect no change for 50 beacons
join 1 - 3
expect leader 1 within 20 beacons
expect one group of 3 within 20 beacons
expect no problem 3 broken-links within 60 beacons
