# SPDX-License-Identifier: Apache-2.0
# F18: hosts that start within start_hold of each other make one leader, ever.
hosts 8
seeds 1..20
start all over 400ms
expect agree within 7 beacons
expect led within 8 beacons
run 2s
expect made == 1
expect one group of 8
