# SPDX-License-Identifier: Apache-2.0
# C3: a host comes that is above the leader. Nothing on the slides demotes that: both would lead
# while its demotion runs.
algorithm bully
hosts 4
seeds 1..10
set priority 4 200
hook 1..4 500ms
start 1..3
expect led within 10 beacons
run 2s
mark m
start 4
expect leader 4 within 20 beacons
run 2s
expect no two leaders since m
expect made == 1 since m
expect one group of 4
