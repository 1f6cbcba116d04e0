# SPDX-License-Identifier: Apache-2.0
# M2: the successor's Invitation overtakes every Goodbye; it carries it, so nobody refuses for
# good.
hosts 10
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
delay Goodbye by 70ms to 3 count 3
delay Goodbye by 70ms to 4 count 3
delay Goodbye by 70ms to 5 count 3
delay Goodbye by 70ms to 6 count 3
mark m
stop 1
expect led within 1 beacon
run 2s
expect formed == 1 since m
expect one group of 9
