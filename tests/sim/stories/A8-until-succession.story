# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15, 6: a leader stalls in its merge, and a member that has lost the last beacons
# succeeds to the leader. The hosts that accept, while they wait for the list of the merge, have
# answered the last beacon: they are bound, so the successor does not begin to lead with them.
hosts 7
seeds 1..25
set quorum all 4
set priority 1 200
set priority 2 150
start 1..5
expect leader 1 within 6 beacons
cut 1..5 - 6..7
start 6..7
run 4s
cut 1 > 2
cut 6..7 > 2
run 100ms
stall 1 300ms when it sends Invitation
join 1..5 - 6..7
cut 6..7 > 2
run 1s
heal
run 4s
expect one group of 7 within 5s
