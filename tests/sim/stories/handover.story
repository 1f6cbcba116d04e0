# SPDX-License-Identifier: Apache-2.0
#
# Hand-over: a leader stops, resigns, is held or yields, and another host leads after its demotion.

story M02-goodbye-in-the-invitation
# M2: the successor's Invitation overtakes every Goodbye, but contains it: no host refuses.
hosts 10
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
delay Goodbye by 70ms to 3 count 3
delay Goodbye by 70ms to 4 count 3
delay Goodbye by 70ms to 5 count 3
delay Goodbye by 70ms to 6 count 3
mark m
stop 1
expect led within 1 beacon
run 2s
expect formed == 1 since m
expect one group of 9

story M07-yield-before-merge
# M7: the losing leader's demotion takes a second; one merge follows, and no group has two leaders.
hosts 5
seeds 1..10
hook all 1s
split 1 2 | 3 4 5
start all
run 4s
expect leaders 2
mark m
heal
expect led within 12 beacons
run 2s
expect formed <= 1 since m
expect made == 0 since m

story clean-stop
# The coordinator is stopped: it sends Goodbye, and the successor leads at once.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
stop 1
expect leader 2 within 20ms
expect reason 2 coordinator-stopped
expect one group of 4 within 1 beacon
expect reason 4 coordinator-stopped
expect state 1 off within 1 beacon
expect formed == 1 since m
expect no two leaders since m

story goodbye-lost-once
# F19: the first copy of a Goodbye is lost to all.
hosts 4
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
drop Goodbye from 1 count 3
stop 1
expect led within 1 beacon

story goodbye-of-an-old-group
# F2: a Goodbye that is three seconds late names a group that its sender has left long ago, and not the
# one that it leads now. Members of the new group ignore it.
hosts 3
set priority 1 200
start all
expect leader 1 within 12 beacons
run 1s
delay Goodbye by 3s from 1 to 3
resign 1 for 300ms
expect leader 2 within 3 beacons
clear
run 700ms
crash 2
expect leader 1 within 8 beacons
expect same group 1 3 within 2 beacons
run 300ms
expect no change for 2s

story goodbye-overtaken
# M2: two hosts hear the Invitation of the successor and never the Goodbye: they follow at once.
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
drop Goodbye from 1 to 3 count 3
drop Goodbye from 1 to 4 count 3
mark m
stop 1
expect led within 50ms
expect leader 2
expect formed == 1 since m

story hold
# A held host hands over and does not lead again, even after a restart, until it is released.
hosts 3
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
hold 1 on
expect unfit 2 of 1 held within 3 beacons
expect no role 1 leader within 1 beacon
expect led within 10 beacons
run 1s
crash 1
run 1s
restart 1
run 2s
crash 2 3
expect always no role 1 leader for 4s
hold 1 off
expect leader 1 within 15 beacons

story late-demotion
# A demotion beyond its timeout ends while the next one runs, which is waited for until its end.
hosts 1
set yield_timeout 1 500ms
hook 1 1s
start all
expect leader 1 within 12 beacons
run 1s
resign 1 for 300ms
run 490ms
expect leader 1
run 20ms
expect leader 1
hook 1 200ms
run 290ms
resign 1 for 10s
expect always leader 1 for 390ms
run 30ms
expect no role 1 leader

story lone-leader-yields
# A host that led alone and yields has changed things outside. The winner is confirmed with a new group
# and token, as after any merge, though after its demotion the loser looks like a newcomer.
hosts 2
seeds 1..10
hook all 500ms
split 1 | 2
start all
run 4s
expect leaders 2
mark m
heal
expect led within 12 beacons
run 2s
expect one group of 2
expect formed == 1 since m
expect made == 0 since m

story overtaken-beacon
# suspicion.md: a leader is held, no other host may lead, and its members learn so at once. A late beacon from
# before does not make it their leader again.
hosts 3
seeds 1..20
set priority 2..3 0
start all
expect leader 1 within 6 beacons
run 1s
delay AYCoord from 1 to 3 by 300ms count 1
run 245ms
hold 1 on
expect no role 3 follower within 50ms
expect always no role 3 follower for 500ms

story resign
# The leader resigns: another leads at once. The first follows and does not lead for the time asked.
hosts 4
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
mark m
resign 1 for 3s
expect leader 2 within 1 beacon
expect reason 2 coordinator-resigned
expect one group of 4 within 8 beacons
expect role 1 follower
crash 2
expect led within 6 beacons
expect no role 1 leader
expect no two leaders since m

story resign-alone-goes-on
# No other host may lead: the host that resigns coordinates without leading until the time is over.
hosts 3
set priority 2 0
set priority 3 0
start all
expect leader 1 within 10 beacons
run 1s
resign 1 for 2s
expect leaders 0 within 1 beacon
run 1s
expect leaders 0
expect leader 1 within 20 beacons

story resign-to
# role.md: a host that resigns hands over to the host that the administrator names, not to the
# first in succession; to the latter if the named host is gone when the demotion is over.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
mark m
resign 1 to 4 for 60s
expect leader 4 within 1 beacon
expect reason 4 coordinator-resigned
expect one group of 5 within 8 beacons
expect no two leaders since m
expect no ever led 2

# The demotion takes a while, and the named host dies before its end.
hook 4 2s
resign 4 to 3 for 3s
run 1s
expect leader 4
crash 3
expect leader 2 within 2s
expect no ever led 3

# The named host is not kept for a later hand-over.
hook all 10ms
run 3s
start 3
expect one group of 5 within 3s
resign 2 to 4 for 60s
expect leader 4 within 1 beacon
run 1s
hold 4 on
expect leader 5 within 1 beacon

story resign-to-loss
# succession.md, role.md: the host that a Goodbye names goes first, despite 5 % loss.
hosts 8
seeds 1..20
loss 50
set priority 1 200
set priority 2 150
start all
expect leader 1 within 12 beacons
run 2s
mark m
resign 1 to 7 for 60s
expect leader 7 within 3 beacons
expect no two leaders since m
expect no ever led 2

story stale-while-forming-anew
# role.md: a leader forms its group anew for a host with a high minimum token, and a second host with one
# above its reserve answers "stale". The leader goes on with those that accepted, and leads on.
hosts 4
seeds 1..20
set priority 1 200
reserve 3 3000
reserve 4 1000000
split 1 2 | 3 | 4
start all
run 3s
expect role 1 leader
crash 3
crash 4
heal
drop any from 4 to 1 count 2
start 3 4
mark m
expect always role 1 leader for 3s
expect formed >= 1 since m
clear
expect one group of 4 within 20 beacons
expect leader 1

story stop-waits-for-the-hook
# A leader that is stopped demotes first; no host leads before its hook has ended.
hosts 4
set priority 1 200
hook 1 1s
start all
expect leader 1 within 5 beacons
run 1s
mark m
stop 1
expect always leader 1 for 950ms
expect led within 1 beacon
expect no role 1 leader
expect no two leaders since m

story t01-ends-while-it-forms-anew
# role.md: a held leader forms its group anew, for a host with a high minimum token, while its demotion
# runs, and the demotion ends in that election. The hold is over by then, but the former members do not
# follow into the new group. They may have another leader, so the host leads only after lone_hold.
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

story yield-ends-while-it-forms-anew
# merge.md, role.md: a leader yields, and forms its group anew for a host with a high minimum token while its
# demotion runs. The demotion may end in that election, too. The host that asked for the role is not
# heard any more: it has dead_after to merge, though all former members follow into the new group.
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
expect bar 1 merge
expect role 1 leader within 1s

story yield-then-carrier
# role.md: 1 has yielded, and waits for a merge whose Invitation it does not get. Its carrier is lost and
# comes back: from then on it waits longer, for any host.
hosts 3
seeds 1..10
split 1 | 2 3
start all
run 4s
expect leaders 2
drop Invitation to 1 skip 1 count 100000
heal
expect no role 1 leader within 1s
expect bar 1 merge
run 100ms
expect bar 1 merge
link 1 down
expect bar 1 cut-off
link 1 up
expect bar 1 listens
clear
expect one group of 3 within 5s

story yield-for-each
# M7: 1 asks 4 to yield, and 4 dies. Soon after, 5 can be heard: it is asked as well and has its own
# time, although 4's is over. So there is one merge, when 5's demotion has ended.
hosts 5
seeds 1..20
set priority 1 200
set yield_timeout all 300ms
hook all 100ms
split 1..3 | 4 | 5
start all
run 4s
expect leaders 3
hook 4 5s
mark m
split 1..4 | 5
run 280ms
crash 4
run 350ms
heal
expect one group of 4 within 20 beacons
run 2s
expect formed <= 1 since m
expect role 1 leader
