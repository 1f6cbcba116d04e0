# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15, 6: with a quorum the work counts from the last beacon that enough members have
# acknowledged, not from the last one sent: the leader's beacons reach no host any more, and then it
# stalls.
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
