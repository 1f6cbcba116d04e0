# SPDX-License-Identifier: Apache-2.0
# 1 and 4 cannot hear each other in a LAN of five: groups settle and do not flap.
hosts 5
seeds 1..10
cut 1 - 4
start all
run 15s
mark m
run 20s
expect elections <= 8 since m
join 1 - 4
expect one group of 5 within 40 beacons
expect led within 10 beacons
