# SPDX-License-Identifier: Apache-2.0
# M2: 2 misses the last two beacons and acts while the others still trust their dead coordinator: they
# say so once, and follow within the longer window when they come to doubt.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
drop AYCoord from 1 to 2 count 2
drop AYThere_answer from 1 to 2 count 100
crash 1 when it sends AYCoord skip 1
run 3s
expect led
expect in total formed <= 22 since m
