# SPDX-License-Identifier: Apache-2.0
# 4.11: one that comes while a demotion runs cannot prove the session it is of: it follows the group
# that waits, and does not lead beside it after start_hold and lone_hold.
hosts 4
seeds 1..20
hook 1 6s
set priority 1 200
set priority 4 250
start 1..3
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 100ms
start 4
expect one group of 3 within 5 beacons
expect always leaders 0 for 5s
expect led within 1100ms
expect no two acting since m
