# SPDX-License-Identifier: Apache-2.0
#
# The end of a leader's work: no host begins to lead before it, and a leader that stalls for half of
# dead_after at most keeps its work (until.md).

story A8-until-differs
# One member has a smaller dead_after than its leader: the smallest dead_after on the membership list
# decides, as the acknowledgements report it.
hosts 4
seeds 1..20
set priority 1 200
set dead_after 3 420ms
set silence all 0ms
set preempt all on
start 3
run 3s
start all
expect leader 1 within 5s
run 1s
mark m
stall 1 3s
expect two leaders since m within 2s
run 5s
expect one group of 4 within 5s

story A8-until-freezes
# electd alone stalls on the leader's host, at any moment between two beacons. Its work has ended before
# another host begins to lead: the checker compares it with elect_until(). Fifty freezes.
hosts 5
seeds 1..25
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall leader 3s
expect two leaders since m within 2s
run 5s
expect one group of 5
mark n
stall leader 3s
expect two leaders since n within 2s
run 5s
expect one group of 5

story A8-until-handed-on
# A member that has lost the last beacons of a stalled leader succeeds it, may not lead, and hands over
# to a member that has received them. This one leads no sooner than after any other silence, so the
# leader, which wakes before that, has the role alone.
hosts 4
seeds 1..25
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
hold 2 on
run 1s
cut 1 > 2
run 200ms
mark m
stall 1 450ms when it sends AYCoord
run 600ms
expect no two leaders since m
heal
run 4s
expect one group of 4 within 5s
expect leaders 1

story A8-until-merge
# A leader stalls in its merge, while hosts that have accepted wait for its list: they form a group
# soon, and lead it no sooner than after any other silence.
hosts 5
seeds 1..25
set priority 1 200
start 1..3
expect leader 1 within 6 beacons
split 1 2 3 | 4 5
start 4..5
run 4s
stall 1 3s when it sends Invitation skip 1
heal
run 8s
expect one group of 5 within 5s

story A8-until-newcomer
# A host with a smaller dead_after joins, and the leader stalls in the step in which it lists the
# newcomer. From then on the work of the leader ends by the smaller one.
hosts 4
seeds 1..40
set priority 1 200
set dead_after 4 420ms
set silence all 0ms
start 1..3
expect leader 1 within 5s
run 1s
mark m
start 4
stall 1 3s when it sends Ready
expect two leaders since m within 3s
run 5s
expect one group of 4 within 5s

story A8-until-quorum
# quorum.md: with a quorum the work is limited from the last beacon that enough members have
# acknowledged, not from the last one sent. The leader's beacons are all lost, and then it stalls.
hosts 5
seeds 1..25
set quorum all 3
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
drop AYCoord from 1 count 50
run 300ms
stall 1 3s
expect two leaders since m within 2s
run 8s
expect one group of 5 within 5s

story A8-until-reload
# A reload shortens dead_after of one member, and its leader stalls before it has learned that, or just
# after. The member keeps the longer one until the leader has answered.
hosts 4
seeds 1..40
set priority 1 200
set silence all 0ms
start all
expect leader 1 within 5s
run 1s
mark m
stall 1 3s when it sends AYCoord
run 190ms
set dead_after 3 420ms
expect two leaders since m within 2s
run 5s
expect one group of 4 within 5s

story A8-until-reload-told
# A member whose dead_after is shortened by a reload asks its leader at once. The questions are lost,
# and the leader stalls with its next beacon.
hosts 4
seeds 1..40
set priority 1 200
set silence all 0ms
start all
expect leader 1 within 5s
run 1s
mark m
drop AYThere from 3 to 1 count 3
set dead_after 3 420ms
stall 1 3s when it sends AYCoord
expect two leaders since m within 2s
run 5s
expect one group of 4 within 5s

story A8-until-stalls
# A leader that stalls for half of dead_after, at any moment between two beacons, keeps its work: the
# checker compares each step with elect_until(). 300 stalls of 100 to 300 ms.
hosts 3
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 100ms
run 1170ms
stall 1 200ms
run 1290ms
stall 1 300ms
run 1410ms
stall 1 100ms
run 1230ms
stall 1 200ms
run 1350ms
stall 1 300ms
run 1510ms
stall 1 100ms
run 1190ms
stall 1 200ms
run 1310ms
stall 1 300ms
run 1430ms
stall 1 100ms
run 1250ms
stall 1 200ms
run 1370ms
stall 1 300ms
run 1490ms
stall 1 100ms
run 1210ms
stall 1 200ms
run 1330ms
stall 1 300ms
run 2s
expect made == 0 since m
expect leader 1

story A8-until-stalls-fast
# As A8-until-stalls, with the beacons of the profile "fast".
hosts 3
seeds 1..20
set priority 1 200
set beacon all 50ms
set silence all 75ms
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 100ms
run 1170ms
stall 1 200ms
run 1290ms
stall 1 300ms
run 1410ms
stall 1 100ms
run 1230ms
stall 1 200ms
run 1350ms
stall 1 300ms
run 1510ms
stall 1 100ms
run 1190ms
stall 1 200ms
run 1310ms
stall 1 300ms
run 1430ms
stall 1 100ms
run 1250ms
stall 1 200ms
run 1370ms
stall 1 300ms
run 1490ms
stall 1 100ms
run 1210ms
stall 1 200ms
run 1330ms
stall 1 300ms
run 2s
expect made == 0 since m
expect leader 1

story A8-until-succession
# quorum.md: a leader stalls in its merge, and a member that has lost the last beacons succeeds the
# leader. The hosts that accept, while they wait for the list of the merge, have answered the last
# beacon: they are bound, so the successor does not begin to lead with them.
hosts 7
seeds 1..25
set quorum all 4
set priority 1 200
set priority 2 150
start 1..5
expect leader 1 within 6 beacons
cut 1..5 - 6..7
start 6..7
run 4s
cut 1 > 2
cut 6..7 > 2
run 100ms
stall 1 300ms when it sends Invitation
join 1..5 - 6..7
cut 6..7 > 2
run 1s
heal
run 4s
expect one group of 7 within 5s

story A8-until-two
# One of two hosts leads and stalls; the other has a smaller dead_after.
hosts 2
seeds 1..40
set priority 1 200
set dead_after 2 420ms
start all
expect leader 1 within 5s
run 1s
mark m
stall 1 6s
expect two leaders since m within 5s
run 8s
expect one group of 2 within 5s

story A8-until-unanswered-anew
# suspicion.md, until.md: the successor of a host whose kernel does not answer leads at once. It
# resigns, no other host may lead, so it forms its group anew and leads again: the silence of that host
# is the same, and there is no new wait for its work.
hosts 3
seeds 1..25
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
hold 3 on
run 2s
stall --host 1 5s when it sends AYCoord
expect role 2 leader within 1s
resign 2 for 60ms
run 20ms
expect role 2 none
expect role 2 leader within 1s
run 6s
expect one group of 3 within 5s

story until-reload-to-shorter-beacons
# All hosts are reloaded at once with much shorter intervals: the leader does not wait for the moment
# that it announced before, and its work goes on.
hosts 3
seeds 1..20
set beacon all 1s
set dead_after all 4s
set priority 1 200
start all
expect leader 1 within 30s
run 5s
mark m
set beacon all 50ms
set dead_after all 600ms
run 5s
expect made == 0 since m
expect formed == 0 since m

story A8-until-in-vain
# A member hears its leader and is not heard by it. It is dropped, asks for a place in vain, and forms
# a group with a third host, which it does not lead as long as the leader's last beacon counts.
hosts 3
seeds 1..20
set priority 1 200
set priority 3 0
gateway none
cut 1 - 3
start 1..2
expect leader 1 within 5 beacons
start 3
run 1s
cut 2 > 1
expect role 2 leader within 20s
