# SPDX-License-Identifier: Apache-2.0
# The coordinator is killed and restarted at once: one group is formed.
hosts 5
seeds 1..40
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
crash 1
run 20ms
restart 1
expect led within 6 beacons
run 2s
expect one group of 5
expect formed == 1 since m
expect made == 1 since m
