# SPDX-License-Identifier: Apache-2.0
# M14: members are in the middle of doubting one coordinator when they get another; nothing of it is
# carried along.
hosts 6
seeds 1..40
set priority 1 200
set priority 2 150
split 1..3 | 4..6
start all
run 4s
drop AYCoord from 4 count 4
drop AYCoord from 1 count 4
run 450ms
heal
expect led within 15 beacons
run 1s
mark m
expect no change for 30 beacons
