# SPDX-License-Identifier: Apache-2.0
# 4.10: a successor that waits for a demotion is replaced while its host pauses. When it wakes the
# demotion is over, and it asks before it leads: without that two lead.
hosts 5
seeds 1..60
hook 1 3s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect one group of 4 within 10ms
run 2600ms
mark m
stall --host 2 550ms
run 2s
expect no two leaders since m
expect one group of 4
expect led
