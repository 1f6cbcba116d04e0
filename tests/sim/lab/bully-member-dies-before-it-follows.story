# SPDX-License-Identifier: Apache-2.0
# Slide 26: a member dies in the middle: the set of members has changed, and the election begins anew.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 4 before it sends SetCoord_answer
crash 1
mark m
run 3s
expect leader 2
expect one group of 4 within 20 beacons
expect made <= 1 since m
