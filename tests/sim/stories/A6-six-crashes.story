# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.11: a leader is killed, and its successors one after the other, while its demotion runs: no
# host begins to lead next to it.
hosts 8
seeds 1..20
set priority 1 200
set priority 2 190
set priority 3 180
set priority 4 170
set priority 5 160
set priority 6 150
start all
expect leader 1 within 5 beacons
expect one group of 8
hook all 12s
run 1s
mark m
kill 1
run 25ms
kill 2
run 25ms
kill 3
run 25ms
kill 4
run 25ms
kill 5
run 25ms
kill 6
expect always no two acting since m for 5s
expect same group 7 8 within 2s
expect led within 20s
expect no two acting since m
