# SPDX-License-Identifier: Apache-2.0
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 before it sends Ready
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 84 since m
run 20 beacons
expect no change for 20 beacons
