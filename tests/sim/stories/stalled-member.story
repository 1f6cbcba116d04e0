# SPDX-License-Identifier: Apache-2.0
# A member stands still for longer than dead_after and blames nobody.
hosts 4
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
stall 3 900ms
run 2s
expect leader 1
expect one group of 4
expect formed == 0 since m
expect elections == 0 since m
