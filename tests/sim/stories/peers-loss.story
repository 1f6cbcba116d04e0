# SPDX-License-Identifier: Apache-2.0
# 3, Peers: 5 % of all datagrams are lost: no leader is lost to that, and one that dies is followed.
hosts 10
seeds 1..20
multicast all off
peers all 1..3
loss 50
start all
expect one group of 10 within 50 beacons
run 3s
mark m
run 60s
expect made == 0 since m
crash leader
expect led within 15 beacons
