# SPDX-License-Identifier: Apache-2.0
# 100 hosts start together: one group and one leader, ever, soon after start_hold.
hosts 100
seeds 1..2
start all
expect led within 4 beacons
run 2s
expect one group of 100
expect made == 1
expect formed == 1
expect election-datagrams <= 5 a host
expect datagrams <= 24 a host
expect no change for 20 beacons
