# SPDX-License-Identifier: Apache-2.0
# M1: the coordinator is back after 100 ms and says that it does not coordinate that group: its
# members go on at once, in one group.
hosts 20
seeds 1..10
start all
expect led within 5 beacons
set priority 1 101
run 2s
mark m
crash 1 2 3
run 100ms
restart 1 2 3
expect led within 8 beacons
run 1s
expect formed <= 1 since m
expect made <= 1 since m
expect election-datagrams <= 6 a host since m
