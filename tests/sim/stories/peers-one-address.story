# SPDX-License-Identifier: Apache-2.0
# 3, Peers: one address is enough, be it a member's, the coordinator's, or a live host's beside a dead
# one's: who is reached there says where its coordinator is.
hosts 8
seeds 1..20
set priority 1 200
multicast all off
peers 2..5 1
start 1..5
expect leader 1 within 15 beacons
expect one group of 5 within 25 beacons
run 1s
mark m
peers 6 1
start 6
expect members 1 6 within 10 beacons
peers 7 3
start 7
expect members 1 7 within 10 beacons
crash 4
peers 8 4 5
start 8
expect one group of 7 within 15 beacons
expect leader 1
expect made == 0 since m
