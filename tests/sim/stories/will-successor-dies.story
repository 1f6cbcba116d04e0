# SPDX-License-Identifier: Apache-2.0
# 4.11: who succeeds dies, too, while it waits: the next one waits in its place.
hosts 5
seeds 1..20
hook 1 4s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect one group of 4 within 10ms
run 500ms
kill 2
expect one group of 3 within 10ms
expect always leaders 0 for 1s
crash 3
expect always leaders 0 for 2400ms
expect led within 300ms
expect no two acting since m
