# SPDX-License-Identifier: Apache-2.0
# 4.11: the host dies while its demotion runs: nobody says that it is over, and dead_after behind the
# last word it is. Without that bound all wait for crash_wait.
hosts 5
seeds 1..20
hook 1 5s
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 1s
expect one group of 4
expect leaders 0
crash 1
expect led within 610ms
expect formed == 1 since m
