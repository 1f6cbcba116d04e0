# SPDX-License-Identifier: Apache-2.0
# M5: the better coordinator hears the worse one and is not heard: without an answer it starts nothing.
hosts 4
seeds 1..5
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
split 1 2 | 3 4
run 4s
expect leaders 2
heal
cut 1 > 3
cut 1 > 4
cut 2 > 3
cut 2 > 4
mark m
run 20s
expect formed == 0 since m
expect leaders 2
