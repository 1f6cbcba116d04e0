# SPDX-License-Identifier: Apache-2.0
# 4.11: ... and the copy itself says after its own crash_wait that it is over.
hosts 5
seeds 1..10
hook 1 30s
set priority 1 200
set crash_wait 1 2s
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect always leaders 0 for 1900ms
expect led within 200ms
