# SPDX-License-Identifier: Apache-2.0
# The coordinator is stopped: Goodbye, and the successor leads at once.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
stop 1
expect leader 2 within 20ms
expect reason 2 coordinator-stopped
expect one group of 4 within 1 beacon
expect reason 4 coordinator-stopped
expect state 1 off within 1 beacon
expect formed == 1 since m
expect no two leaders since m
