# SPDX-License-Identifier: Apache-2.0
# F8: a crash makes one leader, not n - 1, and few datagrams; so does a cold start.
hosts 20
seeds 1..10
start all
expect led within 5 beacons
expect made == 1
expect formed == 1
expect election-datagrams <= 5 a host
run 2s
mark m
set priority 1..20 100
crash 1
crash 2
run 3s
expect led
expect made <= 1 since m
expect formed <= 1 since m
expect election-datagrams <= 9 a host since m
