# SPDX-License-Identifier: Apache-2.0
# Two machines have one id: both say so, neither leads, a third host does.
hosts 4
seeds 1..10
clone 2 of 1
start 3 4
expect led within 5 beacons
start 1
run 2s
start 2
expect problem 1 duplicate-id within 30 beacons
expect problem 2 duplicate-id within 30 beacons
run 3s
expect no role 1 leader
expect no role 2 leader
expect leaders 1
