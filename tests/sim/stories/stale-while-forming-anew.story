# SPDX-License-Identifier: Apache-2.0
# 4.6: a leader that forms its group anew, for a host with a high floor, is told "stale" by a second
# one with a floor above its reserve. It goes on with those who accepted, and leads all the while.
hosts 4
seeds 1..20
set priority 1 200
reserve 3 3000
reserve 4 1000000
split 1 2 | 3 | 4
start all
run 3s
expect role 1 leader
crash 3
crash 4
heal
drop any from 4 to 1 count 2
start 3 4
mark m
expect always role 1 leader for 3s
expect formed >= 1 since m
clear
expect one group of 4 within 20 beacons
expect leader 1
