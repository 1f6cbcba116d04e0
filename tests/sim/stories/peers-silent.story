# SPDX-License-Identifier: Apache-2.0
# 3, Peers: who does not answer is sent one datagram of each to all, and no more: of two hosts that
# each know eight others, none of which runs.
hosts 10
seeds 1..10
multicast all off
peers 1..2 1..10
start 1 2
expect one group of 2 within 20 beacons
run 2s
mark m
run 20s
expect sent AYCoord <= 1000 since m
expect sent AYCoord >= 700 since m
expect datagrams <= 1300 since m
