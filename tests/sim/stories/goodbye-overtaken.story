# SPDX-License-Identifier: Apache-2.0
# M2: two hosts hear the Invitation of the successor and never the Goodbye: they follow at once.
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
drop Goodbye from 1 to 3 count 3
drop Goodbye from 1 to 4 count 3
mark m
stop 1
expect led within 50ms
expect leader 2
expect formed == 1 since m
