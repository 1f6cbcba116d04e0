# SPDX-License-Identifier: Apache-2.0
# 4.10: a host that pauses for less than silence_ms costs nothing.
hosts 5
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall --host 1 190ms
run 1s
stall --host 1 190ms
expect no change for 1s
expect elections == 0 since m
