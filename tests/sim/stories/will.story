# SPDX-License-Identifier: Apache-2.0
# 4.11: the leader's process is killed; its copy says so, and the next one leads within some
# milliseconds. Without it all wait for dead_after.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect leader 2 within 10ms
expect one group of 4 within 10ms
expect reason 2 coordinator-crashed
expect reason 3 coordinator-crashed
expect cause 3 1
expect formed == 1 since m
expect made == 1 since m
expect no two acting since m
run 3s
expect leader 2
expect formed == 1 since m
restart 1
expect one group of 5 within 8 beacons
expect leader 2
expect no change for 50 beacons
