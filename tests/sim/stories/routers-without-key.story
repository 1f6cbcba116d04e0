# SPDX-License-Identifier: Apache-2.0
# 3, Peers: the same without a key: a host is answered where it was heard from, and nobody is sent to
# whom somebody merely names. 2 and 3 are one group with 1, and are not told of each other.
hosts 3
seeds 1..10
multicast all off
subnet 1 1
subnet 2 2
subnet 3 3
set priority 1 200
peers 1 2
peers 2..3 1
start all
expect led within 30 beacons
expect one group of 3 within 50 beacons
run 2s
mark m
crash 1
run 20s
expect groups 2
