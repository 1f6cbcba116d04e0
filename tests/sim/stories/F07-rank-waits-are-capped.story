# SPDX-License-Identifier: Apache-2.0
# F7: sixteen lone coordinators meet; waiting by rank has an end.
hosts 16
seeds 1..10
split 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16
start all
run 4s
expect leaders 16
mark m
heal
expect led within 20 beacons
expect made == 0 since m
