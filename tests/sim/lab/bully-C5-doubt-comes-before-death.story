# SPDX-License-Identifier: Apache-2.0
# C5: the first in rank has missed the last beacon, and calls before the others' patience is over.
# They have doubts, and halt; without that it comes out of its first election alone.
algorithm bully
hosts 8
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
drop AYNormal from 1 to 2
run 250ms
crash 1
mark m
expect leader 2 within 7 beacons
expect formed == 1 since m
