# SPDX-License-Identifier: Apache-2.0
# 3, Peers: split so that the only host that was named is on one side: both sides go on, and find each
# other again, for who was heard once is told what all are.
hosts 10
seeds 1..20
multicast all off
peers 2..10 1
start all
expect one group of 10 within 30 beacons
run 2s
split 1..4 | 5..10
expect groups 2 within 20 beacons
run 30s
expect groups 2
heal
expect one group of 10 within 20 beacons
