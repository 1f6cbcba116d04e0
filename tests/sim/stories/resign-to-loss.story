# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.5, 4.6: whom a Goodbye names goes first, also where one datagram in twenty is lost.
hosts 8
seeds 1..20
loss 50
set priority 1 200
set priority 2 150
start all
expect leader 1 within 12 beacons
run 2s
mark m
resign 1 to 7 for 60s
expect leader 7 within 3 beacons
expect no two leaders since m
expect no ever led 2
