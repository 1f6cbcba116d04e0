# SPDX-License-Identifier: Apache-2.0
# What the coordinator defines reaches every member, newcomers too, and survives the coordinator.
hosts 4
set priority 1 200
start 1..3
expect leader 1 within 5 beacons
run 1s
mark m
define 1 blue
expect definition 3 blue within 2 beacons
expect formed == 0 since m
start 4
expect definition 4 blue within 5 beacons
crash 1
expect led within 5 beacons
expect definition 4 blue
