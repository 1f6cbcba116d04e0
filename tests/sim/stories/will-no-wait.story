# SPDX-License-Identifier: Apache-2.0
# 4.11: crash_wait = 0: whoever configures it so has the next one lead at once, beside the demotion.
hosts 5
seeds 1..10
hook 1 2s
set priority 1 200
set crash_wait 1..5 0ms
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect led within 10ms
