# SPDX-License-Identifier: Apache-2.0
# F16: a peer that never comes is not invited every beacon, and not waited for longer than 5 s when it
# can. (Of priority 0: nobody has to yield first.)
hosts 4
seeds 1..10
set priority all 0
split 1 2 | 3 4
start all
run 4s
drop Invitation count 100000
heal
mark m
run 40s
expect elections <= 15 since m
clear
expect agree within 27 beacons
