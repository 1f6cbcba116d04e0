# SPDX-License-Identifier: Apache-2.0
# F3, F9: 3 misses every Invitation to a new group of its coordinator, and the first lists: the beacon
# of that group is not one of its own group, and brings it in.
hosts 5
seeds 1..5
set priority 1 200
split 1 2 3 | 4 5
start all
run 4s
expect leaders 2
drop Invitation to 3 count 100000
drop Ready to 3 count 7
heal
expect one group of 5 within 6 beacons
