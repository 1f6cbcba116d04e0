# SPDX-License-Identifier: Apache-2.0
# trust.md 2: two hosts have one id. One is a member, which says nothing to all; the other hears neither
# the leader nor the other members. It hears a Challenge of the first as long as that one hears it, so it
# does not lead after a minute.
hosts 4
seeds 1..20
clone 2 of 1
cut 2 - 3
cut 2 - 4
start 3 4
run 2s
start 1
run 2s
start 2
expect problem 2 duplicate-id within 30 beacons
expect always no role 2 leader for 150s
expect problem 1 duplicate-id
expect problem 2 duplicate-id
expect leaders 1
