# SPDX-License-Identifier: Apache-2.0
# 4.3, 4.6: a leader yields, and forms its group anew, for a host with a high floor, while its demotion
# runs. The demotion may end in that election, too: the host that asked for the role, and is not heard any
# more, is given dead_after to merge, though all former members follow into the new group.
hosts 9
seeds 1..20
set priority 1 200
set beacon 4 40ms
set beacon 5 40ms
set beacon 6 40ms
set beacon 7 40ms
hook 1 420ms
reserve 8 3000
reserve 9 3000
cut 1..3 - 4..9
cut 8..9 - 4..7
start all
run 4s
expect role 1 leader
crash 8
crash 9
join 1 - 8
drop Accept from 8 count 20
drop Ready_answer from 8 count 20
join 1..3 - 4..7
run 250ms
start 8
run 100ms
cut 1..3 - 4..7
expect role 1 leader
expect no role 1 leader within 160ms
expect always no role 1 leader for 550ms
expect role 1 leader within 1s
