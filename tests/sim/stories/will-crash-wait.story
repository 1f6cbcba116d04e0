# SPDX-License-Identifier: Apache-2.0
# 4.11: a demotion that hangs is waited for no longer than crash_wait, as each has it configured.
hosts 5
seeds 1..10
hook 1 30s
set priority 1 200
set crash_wait 1 30s
set crash_wait 2..5 3s
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect always leaders 0 for 2900ms
expect led within 300ms
