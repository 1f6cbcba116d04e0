# SPDX-License-Identifier: Apache-2.0
# Two hosts start together: one leader.
hosts 2
seeds 1..20
start all
expect led within 5 beacons
expect one group of 2
expect made == 1
run 1s
expect no change for 50 beacons
