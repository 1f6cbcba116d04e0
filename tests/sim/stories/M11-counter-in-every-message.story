# SPDX-License-Identifier: Apache-2.0
# M11: a side with a much higher counter is met: one attempt, not one a beacon, to get above it.
hosts 5
seeds 1..10
split 1..3 | 4 | 5
start all
run 3s
crash 4
restart 4
run 3s
crash 4
restart 4
run 3s
stop 5
restart 5
run 3s
mark m
heal
expect led within 8 beacons
run 2s
expect elections <= 2 since m
