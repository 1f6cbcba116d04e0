# SPDX-License-Identifier: Apache-2.0
# F16: a peer that never accepts is not invited every beacon.
hosts 2
set priority 1 200
split 1 | 2
start all
run 4s
drop Accept from 2 count 100000
heal
mark m
run 20s
expect elections <= 24 since m
clear
expect led within 30 beacons
