# SPDX-License-Identifier: Apache-2.0
# 3, Peers: hosts that were there and are silent for more than a minute are told in two seconds of
# ten what all are, and nothing after an hour; one that comes back is found though nobody names it.
hosts 6
seeds 1..3
multicast all off
set priority 1 200
peers 2..6 1
start all
expect one group of 6 within 30 beacons
run 2s
crash 2 3 4 5 6
run 70s
mark m
run 50s
expect sent AYCoord <= 320 since m
expect sent AYCoord >= 100 since m
run 1h
mark gone
run 50s
expect sent AYCoord == 0 since gone
restart 2 3 4 5 6
expect one group of 6 within 30 beacons
