# SPDX-License-Identifier: Apache-2.0
# 4.6: a leader that is held forms its group anew, for a host with a high floor, while its demotion
# runs, and the demotion ends in that election. The hold is over by then, but the former members do not
# follow into the new group. They may have another leader, so the host leads after lone_hold only.
hosts 7
seeds 1..20
set priority 2 0
set priority 3 0
set priority 4 0
set priority 5 0
set priority 6 0
hook 1 480ms
reserve 6 3000
reserve 7 3000
split 1..5 | 6 7
start all
run 4s
expect role 1 leader
crash 6
crash 7
heal
run 1s
expect one group of 5
mark m
hold 1 on
run 280ms
cut 1 - 2..5
drop Ready_answer from 6 count 20
start 6
run 195ms
hold 1 off
expect role 1 leader
run 10ms
expect no role 1 leader
expect state 1 normal within 250ms
expect formed >= 1 since m
expect always no role 1 leader for 1100ms
expect role 1 leader within 1s
