# SPDX-License-Identifier: Apache-2.0
# 4.11: all of a will is lost: dead_after, as for a silent host.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
drop Goodbye from 1 count 100
kill 1
expect always no leader 2 for 380ms
expect leader 2 within 300ms
expect reason 2 coordinator-silent
expect formed == 1 since m
