# SPDX-License-Identifier: Apache-2.0
# A split heals while former sessions of all come again: one merge, nobody new leads.
hosts 8
seeds 1..20
start all
run 3s
crash 1 2 3 4 5 6 7 8
start all
run 2s
split 1..4 | 5..8
run 5s
former 200
run 1s
mark m
heal
expect one group of 8 within 4 beacons
run 2s
expect formed == 1 since m
expect made == 0 since m
