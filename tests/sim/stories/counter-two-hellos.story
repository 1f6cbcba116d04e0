# SPDX-License-Identifier: Apache-2.0
# C2: two Hellos to one host. It lifts the others as far as it was lifted: no split outlives it.
hosts 4
seeds 1..3
clocks 100
start all
expect led within 8 beacons
run 2s
mark m
insider Hello to leader times 1
run 300ms
insider Hello to leader times 2
run 10s
expect agree
expect changes == 0 since m
split 1 2 | 3 4
run 5s
insider Hello to 1 times 1
run 300ms
insider Hello to 1 times 2
run 1s
heal
expect agree within 10s
expect led
crash leader
expect one group of 3 within 6 beacons
