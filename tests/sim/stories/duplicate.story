# SPDX-License-Identifier: Apache-2.0
#
# Duplicate ids: two hosts have the same id.

story duplicate-hears-on
# trust.md 2: two hosts have one id. One is a member, which sends nothing to all; the other hears
# neither the leader nor the other members. Both exchange a Challenge as long as they hear each other,
# so the second does not lead after a minute.
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

story duplicate-id
# Two machines have one id: both report it, neither leads, a third host does.
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

story duplicate-id-joins
# The second host with an id finds a leader at once, and takes the place of the first. Both learn of the
# conflict, whichever of them sends to all, as long as it lasts.
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

story duplicate-in-two-groups
# trust.md 2: two hosts have one id, and each is a member of a group whose leader does not hear the
# other group. Members send nothing to all: they learn of each other by the first Hello of a start.
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
