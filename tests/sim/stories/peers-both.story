# SPDX-License-Identifier: Apache-2.0
# 3, Peers: multicast everywhere, and peers named beside it: each datagram to all comes twice, and that
# changes nothing.
hosts 6
seeds 1..20
peers all 1..3
start all
expect led within 5 beacons
expect one group of 6 within 5 beacons
run 1s
expect no change for 50 beacons
crash leader
expect led within 8 beacons
