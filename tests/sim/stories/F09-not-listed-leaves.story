# SPDX-License-Identifier: Apache-2.0
# F9: the coordinator does not hear 3, drops it, and 3, who hears every beacon, leaves the group it is
# not listed in; it is back as soon as it is heard.
hosts 3
set priority 1 200
start all
expect led within 5 beacons
run 2s
cut 3 > 1
expect members 1 2 within 15 beacons
expect no same group 1 3 within 15 beacons
expect leader 1
join 3 > 1
expect one group of 3 within 15 beacons
expect leader 1
