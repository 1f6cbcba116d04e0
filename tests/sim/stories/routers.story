# SPDX-License-Identifier: Apache-2.0
# 3, Peers: three subnets with routers between them, one key and one address: who hears it from a
# third one where another host is sends there, and it is one group.
hosts 9
seeds 1..20
multicast all off
subnet 1..3 1
subnet 4..6 2
subnet 7..9 3
routers all on
keys all enforce 1
peers 2..9 1
start all
expect led within 30 beacons
expect one group of 9 within 50 beacons
run 2s
expect no change for 20 beacons
crash 1
expect led within 30 beacons
expect one group of 8 within 50 beacons
