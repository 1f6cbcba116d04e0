# SPDX-License-Identifier: Apache-2.0
# F18: a host restarts and its first Hellos are lost: it has heard the coordinator before it acts.
hosts 4
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
crash 3
run 500ms
mark m
drop Hello from 3 count 3
start 3
expect one group of 4 within 8 beacons
expect formed == 0 since m
