# SPDX-License-Identifier: Apache-2.0
# F19: one lost datagram of each kind costs nobody its membership; nor does a lost Invitation of a
# succession, after which 3 would try to succeed, too.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
set priority 3 120
drop Invitation to 4
drop Accept from 3
drop Ready to 4
drop Ready_answer from 5
start all
expect one group of 5 within 4 beacons
expect formed == 1
run 2s
clear
drop Invitation from 2 to 3 count 1
mark m
crash 1
expect one group of 4 within 4 beacons
expect elections == 1 since m
