# SPDX-License-Identifier: Apache-2.0
# A leader stands still for less than dead_after, but its last beacon is older than that: its members have
# counted from there and follow another, so it does not go on.
hosts 4
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
stall 1 520ms
run 521ms
mark m
run 1s
expect no two leaders since m
expect one group of 4 within 10 beacons
