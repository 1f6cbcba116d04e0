# SPDX-License-Identifier: Apache-2.0
# S7: a leader that resigns has a long demotion, and loses the others meanwhile: without its quorum it
# stops leading at once, and not when its demotion has ended, for the others have a leader by then.
hosts 5
seeds 1..5
set quorum all 3
set yield_timeout 1 10s
hook 1 8s
set priority 1 200
start all
expect leader 1 within 12 beacons
run 2s
mark m
resign 1
run 300ms
expect leader 1
split 1 2 | 3..5
expect no role 1 leader within 8 beacons
expect leaders 1 within 6 beacons
expect no two leaders since m
