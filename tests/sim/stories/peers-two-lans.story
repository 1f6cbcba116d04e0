# SPDX-License-Identifier: Apache-2.0
# 3, Peers: two LANs without multicast, the addresses on the first are named: when that dies the
# group goes on, or is one again by the time the LAN is back.
hosts 5
lans 2
seeds 1..20
multicast all off
peers all 1..2
start all
expect one group of 5 within 30 beacons
run 2s
on 1 cut 1 - all
run 5s
on 1 join 1 - all
expect one group of 5 within 30 beacons
