# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15, 6: with a quorum the last beacon that enough have answered counts, not the last
# one that was sent: the leader's beacons reach nobody any more, and then it stands still.
hosts 5
seeds 1..25
set quorum all 3
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
drop AYCoord from 1 count 50
run 300ms
stall 1 3s
expect two leaders since m within 2s
run 8s
expect one group of 5 within 5s
