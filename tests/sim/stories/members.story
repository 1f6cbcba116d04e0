# SPDX-License-Identifier: Apache-2.0
#
# Members: hosts join, return or die, and the membership list reaches all of them.

story F03-late-accept-joins
# F3: one Accept arrives after the window: it is a Join of the same group, which is not formed again.
hosts 4
seeds 1..20
set priority 1 200
start all
expect led within 10 beacons
run 2s
mark m
stop 1
delay Accept by 150ms from 4 count 20
expect led within 3 beacons
run 2s
expect formed == 1 since m
expect made == 1 since m
expect one group of 3

story F04-one-never-acknowledges
# F4: no Ready_answer of 3 ever arrives; the group neither waits for it nor drops it without probes.
hosts 4
start all
drop Ready_answer from 3 count 100000
expect led within 6 beacons
expect made == 1
expect formed == 1
expect sent Accept == 3

story F09-not-listed-leaves
# F9: the coordinator does not hear 3 and drops it; 3 hears every beacon, and leaves the group it is not
# listed in. It returns as soon as it is heard.
hosts 3
set priority 1 200
start all
expect led within 5 beacons
run 2s
cut 3 > 1
expect members 1 2 within 15 beacons
expect no same group 1 3 within 15 beacons
expect leader 1
join 3 > 1
expect one group of 3 within 15 beacons
expect leader 1

story F14-dead-members-are-dropped
# F14: a member dies and is dropped from the list; nothing else changes.
hosts 5
set priority 1 200
start all
expect led within 5 beacons
run 2s
mark m
crash 4
expect members 1 4 within 10 beacons
expect members 5 4 within 1 beacon
expect formed == 0 since m
expect leader 1

story M04-member-restarts
# M4: a member's restart forms no new group and changes no token.
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
crash 4
run 150ms
restart 4
expect one group of 5 within 3 beacons
crash 5
run 2s
restart 5
expect one group of 5 within 3 beacons
run 1s
expect formed == 0 since m
expect made == 0 since m
expect elections == 0 since m

story M13-admitting-version
# M13: an older list, without the newcomer, arrives after the one that admitted it: it stays a member.
hosts 5
seeds 1..10
set priority 1 200
start 1..4
expect leader 1 within 5 beacons
run 2s
delay Ready by 1s to 5 count 2
stop 4
run 300ms
start 5
expect one group of 4 within 4 beacons
mark m
run 2s
expect elections == 0 since m
expect one group of 4
expect regroupings == 0 since m

story Q3-list-costs-little
# Q3: a list that never arrives at one host of twelve costs two datagrams a second, after a minute, of
# all hosts together; the rest are the members' routine and two coordinators' beacons.
hosts 12
seeds 1..3
set priority 1 200
start 1..11
expect leader 1 within 10 beacons
drop Ready to 12 count 1000000
start 12
run 60s
mark m
run 100s
expect sent AYCoord_answer <= 80 since m
expect sent Invitation <= 10 since m
expect sent Ready <= 70 since m
expect sent Accept <= 60 since m
expect sent Ready_answer <= 50 since m
expect sent AYThere_answer <= 15 since m
expect problem 1 list-untaken
expect role 1 leader
clear
expect one group of 12 within 40s

story Q3-list-never-arrives
# Q3: a host that does not take the list is invited ever more rarely, and its coordinator reports that;
# when the list arrives the host is back.
hosts 4
set priority 1 200
start 1 2 3
expect leader 1 within 6 beacons
drop Ready to 4 count 1000000
start 4
run 60s
mark m
expect problem 1 list-untaken
run 60s
expect sent Invitation <= 60 since m
expect sent Ready <= 60 since m
expect problem 1 list-untaken
expect no problem 2 list-untaken
expect role 1 leader
clear
expect one group of 4 within 40s
expect no problem 1 list-untaken within 2s

story cold-start-late-accept
# F3: hosts start within 20 ms. The inviter does not know all of them, and must answer a Challenge of
# one first, whose Accept arrives while the list is in transit. That host joins at once.
hosts 5
seeds 1..60
start all over 20ms
at 626ms expect one group of 5

story list-of-the-next-group
# F2: 3 misses the Invitation to a new group of its coordinator, and then receives a list of that group,
# which is not the list of the group that 3 is in.
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

story misses-every-invitation
# F3, F9: 3 misses every Invitation to a new group of its coordinator, and the first lists. The beacon
# of the new group shows 3 that its own is over, and brings it in.
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

story newcomer-joins
# A newcomer joins; no host changes its group or role, and a better priority does not take over.
hosts 5
seeds 1..20
set priority 5 200
start 1..4
expect led within 5 beacons
run 2s
mark m
start 5
expect one group of 5 within 3 beacons
expect formed == 0 since m
expect made == 0 since m
expect regroupings == 1 since m
expect reason 5 joined
expect election-datagrams <= 8 since m
expect no role 5 leader

story old-no-after-return
# M13: 3 was dropped and is back; a late answer that it is not in the list is older, and ignored.
hosts 3
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
cut 3 > 1
drop Ready to 3 count 2
expect members 1 2 within 15 beacons
delay AYThere_answer by 1s to 3 count 1
join 3 > 1
expect one group of 3 within 10 beacons
run 200ms
expect no change for 4s

story steady-state
# suspicion.md, Watching the members: while nothing happens the coordinator sends one beacon a period and each member one
# AYThere every second period, ±20 %, and no host sends anything else.
hosts 5
seeds 1..10
start all
expect led within 5 beacons
run 10s
mark m
run 60s
expect changes == 0 since m
expect sent AYCoord >= 249 since m
expect sent AYCoord <= 376 since m
expect sent AYThere >= 496 since m
expect sent AYThere <= 754 since m
expect handshake-datagrams == 0 since m
expect election-datagrams == 0 since m
expect sent AYThere_answer == 0 since m
