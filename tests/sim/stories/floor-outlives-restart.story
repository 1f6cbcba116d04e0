# SPDX-License-Identifier: Apache-2.0
# M4: 3 was in a later group, restarts, and meets the earlier group only: it does not join that one, a
# new one is formed above its floor.
hosts 3
seeds 1..5
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
split 1 | 2 3
expect role 2 leader within 10 beacons
run 2s
crash 3
mark m
split 1 3 | 2
run 100ms
start 3
expect role 3 follower within 10 beacons
expect formed == 1 since m
