# SPDX-License-Identifier: Apache-2.0
# R1, F8: a cold start of all while what they said in two former sessions comes again: one leader ever,
# as early as without.
hosts 12
seeds 1..20
start all
run 3s
crash 1 2 3 4 5 6 7 8 9 10 11 12
start all
run 3s
crash 1 2 3 4 5 6 7 8 9 10 11 12
run 1s
former 5
mark m
start all
expect agree within 4 beacons
expect led within 4 beacons
expect made == 1 since m
expect formed == 1 since m
