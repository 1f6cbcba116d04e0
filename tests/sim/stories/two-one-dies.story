# SPDX-License-Identifier: Apache-2.0
# One of two hosts dies: the survivor leads after dead_after and lone_hold, and not before.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
crash 1
expect always no role 2 leader for 1500ms
expect leader 2 within 500ms
restart 1
expect one group of 2 within 8 beacons
expect leader 2
