# SPDX-License-Identifier: Apache-2.0
# The second one with an id finds a leader at once, and takes the place of the first one: both are
# told, whoever of them says anything to all, and for as long as it lasts.
hosts 4
seeds 1..30
clone 2 of 1
start 2
run 4s
stop 2
start 3 4
expect led within 5 beacons
start 1
run 2s
start 2
expect problem 1 duplicate-id within 30 beacons
expect problem 2 duplicate-id within 30 beacons
run 4s
expect no role 1 leader
expect no role 2 leader
expect leaders 1
run 75s
expect problem 1 duplicate-id within 1 beacons
expect no role 1 leader
expect no role 2 leader
expect leaders 1
stop 2
run 65s
expect no problem 1 duplicate-id
