# SPDX-License-Identifier: Apache-2.0
# C3: a member's priority rises above its leader's, whose demotion takes a while.
algorithm bully
hosts 4
seeds 1..10
set priority 1 200
hook 1..4 500ms
start all
expect leader 1 within 10 beacons
run 1s
mark m
priority 3 250
expect leader 3 within 15 beacons
run 2s
expect no two leaders since m
expect made == 1 since m
