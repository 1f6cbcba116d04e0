# SPDX-License-Identifier: Apache-2.0
# 4.11: the same of two hosts: the process is known to be gone, so the survivor does not wait for
# lone_hold as after a silence.
hosts 2
seeds 1..20
hook 1 5s
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
kill 1
run 1s
expect leaders 0
crash 1
expect leader 2 within 610ms
