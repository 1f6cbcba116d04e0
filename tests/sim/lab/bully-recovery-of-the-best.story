# SPDX-License-Identifier: Apache-2.0
# Slide 20: whoever recovers bullies: the highest living host leads, always.
algorithm bully
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 10 beacons
run 1s
crash 1
expect led within 8 beacons
run 2s
restart 1
expect leader 1 within 12 beacons
run 1s
expect one group of 5
