# SPDX-License-Identifier: Apache-2.0
# F2: 3 misses the Invitation to a new group of its coordinator, and then hears a list of it: that list
# is not the one of the group 3 is in.
hosts 5
seeds 1..5
set priority 1 200
split 1 2 3 | 4 5
start 1..5
run 4s
expect leaders 2
drop Invitation from 1 to 3 count 1000
drop AYCoord from 1 to 3 count 4
drop AYThere from 3 to 1 count 100
heal
expect always state 3 normal for 420ms
define 1 text
expect always state 3 normal for 50ms
clear
expect one group of 5 within 10 beacons
