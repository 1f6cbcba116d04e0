# SPDX-License-Identifier: Apache-2.0
# 4.11: two parts find each other while a demotion runs that only one of them knows of: the better
# coordinator, of the other part, takes the wait over. Without that it leads at once.
hosts 4
seeds 1..20
hook 1 6s
set preempt 1..4 on
set priority 1 200
set priority 4 250
split 1 2 3 | 4
start 1..3
expect leader 1 within 5 beacons
run 2s
run 2s
start 4
run 800ms
mark m
kill 1
run 400ms
heal
expect one group of 3 within 2s
expect always leaders 0 for 3s
expect leader 4 within 3s
expect no two acting since m
