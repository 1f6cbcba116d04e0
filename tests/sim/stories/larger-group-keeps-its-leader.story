# SPDX-License-Identifier: Apache-2.0
# Two groups of different size merge: the larger one's leader stays, whatever the priorities.
hosts 7
seeds 1..10
set priority 1 250
set priority 3 10
set priority 4..7 5
split 1 2 | 3..7
start all
run 4s
expect role 1 leader
expect role 3 leader
mark m
heal
expect leader 3 within 5 beacons
expect one group of 7 within 1 beacon
expect role 1 follower
run 2s
expect leader 3
expect made == 0 since m
