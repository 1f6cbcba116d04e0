# SPDX-License-Identifier: Apache-2.0
# M7: the losing leader's demotion takes a second; there is one merge, when it is over, and never two
# leaders of one group.
hosts 5
seeds 1..10
hook all 1s
split 1 2 | 3 4 5
start all
run 4s
expect leaders 2
mark m
heal
expect led within 12 beacons
run 2s
expect formed <= 1 since m
expect made == 0 since m
