# SPDX-License-Identifier: Apache-2.0
# Slide 22: the one that is above the others dies instead of saying so: they ask again.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 before it sends AYUp_answer
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m
