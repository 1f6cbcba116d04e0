# SPDX-License-Identifier: Apache-2.0
# 4.11: the group that waits is lost while one comes: it was told for whom they wait, and waits, too.
hosts 4
seeds 1..20
hook 1 6s
set priority 1 200
start 1..3
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 100ms
start 4
expect one group of 3 within 5 beacons
run 1s
crash 2 3
expect always leaders 0 for 3500ms
expect led within 3s
expect no two acting since m
