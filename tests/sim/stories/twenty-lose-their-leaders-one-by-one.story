# SPDX-License-Identifier: Apache-2.0
# Twenty hosts, of which the leader stops again and again until one is left.
hosts 6
seeds 1..5
set priority 1 106
set priority 2 105
set priority 3 104
set priority 4 103
set priority 5 102
set priority 6 101
start all
expect leader 1 within 5 beacons
run 1s
mark m
stop 1
expect leader 2 within 1 beacon
run 500ms
stop 2
expect leader 3 within 1 beacon
run 500ms
stop 3
expect leader 4 within 1 beacon
run 500ms
stop 4
expect leader 5 within 1 beacon
run 500ms
stop 5
expect leader 6 within 1 beacon
expect formed == 5 since m
expect no two leaders since m
