# SPDX-License-Identifier: Apache-2.0
# Slide 24: strangers answer AYNormal: the coordinator above holds one election of all.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
start all
expect leader 1 within 10 beacons
run 1s
split 1..3 | 4..6
expect groups 2 within 20 beacons
run 3s
mark m
heal
expect leader 1 within 15 beacons
expect one group of 6 within 15 beacons
expect made == 0 since m
