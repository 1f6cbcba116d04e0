# SPDX-License-Identifier: Apache-2.0
# Stalls shorter than dead_after change no leader.
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
stall 1 300ms
run 1s
stall 2 300ms
stall 3 250ms
run 1s
stall 1 200ms
run 2s
expect leader 1
expect made == 0 since m
expect formed == 0 since m
