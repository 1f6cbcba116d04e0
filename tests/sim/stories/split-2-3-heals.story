# SPDX-License-Identifier: Apache-2.0
# 5 hosts split into 2 and 3: each side leads; when it heals there is one merge and no new leader.
hosts 5
seeds 1..20
start all
expect led within 5 beacons
run 1s
split 1 2 | 3 4 5
run 4s
expect groups 2
expect leaders 2
mark m
heal
expect led within 3 beacons
expect one group of 5
expect formed <= 1 since m
expect made == 0 since m
expect no change for 100 beacons
