# SPDX-License-Identifier: Apache-2.0
# Two hosts, and somebody with the key who says to coordinate a group far ahead: the one that is left
# leads after lone_hold, as ever.
hosts 2
seeds 1..3
clocks 100
start all
expect led within 15 beacons
run 1s
insider AYCoord every 5ms
run 8s
mark m
crash leader
expect led within 12 beacons
expect writes <= 20 a host since m
