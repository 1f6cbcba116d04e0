# SPDX-License-Identifier: Apache-2.0
# F14: a member dies and is dropped from the list; nothing else changes.
hosts 5
set priority 1 200
start all
expect led within 5 beacons
run 2s
mark m
crash 4
expect members 1 4 within 10 beacons
expect members 5 4 within 1 beacon
expect formed == 0 since m
expect leader 1
