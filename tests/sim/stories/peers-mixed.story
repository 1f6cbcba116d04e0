# SPDX-License-Identifier: Apache-2.0
# 3, Peers: half of the hosts hear multicast and know nobody; the others know one of them. They are
# one group, who is heard alone is answered alone; and what comes twice is no replay.
hosts 10
seeds 1..20
multicast 6..10 off
peers 6..10 2
start all
expect led within 40 beacons
expect one group of 10 within 30 beacons
run 2s
expect no change for 20 beacons
crash leader
expect led within 12 beacons
expect one group of 9 within 30 beacons
restart all
expect one group of 10 within 30 beacons
run 1s
stop leader
expect one group of 9 within 40 beacons
expect led
