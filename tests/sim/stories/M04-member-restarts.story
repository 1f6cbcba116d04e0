# SPDX-License-Identifier: Apache-2.0
# M4: a member's restart re-forms nothing and changes no token.
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
crash 4
run 150ms
restart 4
expect one group of 5 within 3 beacons
crash 5
run 2s
restart 5
expect one group of 5 within 3 beacons
run 1s
expect formed == 0 since m
expect made == 0 since m
expect elections == 0 since m
