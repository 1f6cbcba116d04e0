# SPDX-License-Identifier: Apache-2.0
# 3, Peers: everything is off, and comes back in any order, the one that is named last.
hosts 6
seeds 1..20
multicast all off
peers 2..6 1
start all
expect one group of 6 within 30 beacons
crash 1 2 3 4 5 6
run 1s
restart 6
run 3s
restart 4 5
run 3s
restart 2
restart 3
run 3s
restart 1
expect one group of 6 within 30 beacons
expect led
