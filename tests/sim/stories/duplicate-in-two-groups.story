# SPDX-License-Identifier: Apache-2.0
# trust.md 2: two hosts have one id, and each is a member of a group whose leader hears nothing of the
# other group. Members say nothing to all: the first Hello of a start is what they hear of each other.
hosts 4
seeds 1..20
clone 2 of 1
cut 3 - 4
cut 1 - 4
cut 2 - 3
start 3 4
run 2s
start 1
run 2s
start 2
expect problem 1 duplicate-id within 5 beacons
expect problem 2 duplicate-id within 5 beacons
