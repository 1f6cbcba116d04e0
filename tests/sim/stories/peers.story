# SPDX-License-Identifier: Apache-2.0
# 3, Peers: no multicast at all, and everybody knows three addresses: all find each other, and go on
# whoever dies of them.
hosts 10
seeds 1..20
multicast all off
peers all 1..3
start all
expect led within 15 beacons
expect one group of 10 within 25 beacons
run 2s
expect no change for 20 beacons
mark m
crash leader
expect led within 8 beacons
expect one group of 9 within 5 beacons
expect made <= 2 since m
crash 1 2 3
expect led within 12 beacons
expect agree within 10 beacons
restart all
expect one group of 10 within 40 beacons
