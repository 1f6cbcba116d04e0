# SPDX-License-Identifier: Apache-2.0
#
# Recorded datagrams: an attacker without the key sends messages of dead and living hosts again.

story W5-many-recorded-hosts
# W5: one session each of 256 hosts that are gone, 20 000 datagrams a second to all: a host that starts
# joins as soon as without, whether the flood is old or new to all hosts.
hosts 3
seeds 1..6
set priority 1 200
start all
run 3s
record 256 of 256
crash 3
run 3s
former 20000
expect no change for 1s
start 3
expect one group of 3 within 500ms
crash 1 2 3
former 0
run 1s
start 1 2
run 3s
former 20000
start 3
expect one group of 3 within 500ms
mark m
run 5s
expect sent Challenge <= 4300 since m

story W5-many-recorded-sessions
# W5: 256 sessions of four hosts that are gone, 20 000 datagrams a second to all: a host that starts
# joins as soon as without, whether the flood is old or new to all hosts.
hosts 3
seeds 1..6
set priority 1 200
start all
run 3s
record 256 of 4
crash 3
run 3s
former 20000
expect no change for 1s
start 3
expect one group of 3 within 500ms
crash 1 2 3
former 0
run 1s
start 1 2
run 3s
former 20000
start 3
expect one group of 3 within 500ms
mark m
run 5s
expect sent Challenge <= 4300 since m

story adversary
# Half of all datagrams are sent again, others cut, flipped and wrongly tagged: nothing changes.
hosts 5
seeds 1..5
start all
expect led within 5 beacons
run 1s
hostile 500
expect no change for 100 beacons
expect refused > 500
crash 1
expect led within 10 beacons

story former-alone
# R1: two hosts are off; their messages of two sessions each are sent again, five times a second, from
# before the third starts. The third leads at most a beacon later than without, and reports nothing.
hosts 3
seeds 1..40
set priority 2..3 200
start all
run 3s
crash 2 3
restart 2 3
run 2s
crash 1 2 3
former 5
start 1
expect leader 1 within 2s
expect no problem 1 broken-links
expect no problem 1 timings-differ
mark m
expect no change for 60s
former 100
mark n
run 60s
expect leader 1
expect sent Challenge <= 120 since n
expect sent Invitation == 0 since m
expect sent AYCoord_answer == 0 since m
expect sent Decline == 0 since m

story former-alone-flood
# R1, R2: the same at 50 000 a second: 160 ms and a beacon later at most.
hosts 3
seeds 1..6
set priority 2..3 200
start all
run 3s
crash 2 3
restart 2 3
run 2s
crash 1 2 3
former 50000 to 1
start 1
expect leader 1 within 2100ms
mark m
run 2s
expect leader 1
expect sent Challenge <= 60 since m

story former-cold-start
# R1, F8: a cold start with messages of two former sessions: one leader ever, as early as without.
hosts 12
seeds 1..20
start all
run 3s
crash 1 2 3 4 5 6 7 8 9 10 11 12
start all
run 3s
crash 1 2 3 4 5 6 7 8 9 10 11 12
run 1s
former 5
mark m
start all
expect agree within 4 beacons
expect led within 4 beacons
expect made == 1 since m
expect formed == 1 since m

story former-group
# R2, R4: former sessions of its members and of others reach a living group. No member is lost, no host
# is invited again and again, and a newcomer is in at once. (A datagram that the last verified session
# sent before its proof may pass once: a Join without an answer, five repeats.)
hosts 6
seeds 1..12
set priority 1 200
start all
run 3s
crash 2 3 4 5 6
restart 2..6
expect one group of 6 within 2s
crash 1
run 2s
restart 1
expect one group of 6 within 2s
crash 6
run 3s
former 5
mark m
expect no change for 20s
expect sent Invitation <= 20 since m
former 2000
expect no change for 5s
expect sent Invitation <= 20 since m
restart 6
expect one group of 6 within 1s
crash 6
run 3s
expect one group of 5
former 5
restart 6
expect one group of 6 within 600ms

story former-group-flood
# R2: 50 000 a second to the leader: no member is lost, and a newcomer is in within a second.
hosts 5
seeds 1..4
set priority 1 200
start all
run 3s
crash 2 3 4 5
restart 2..5
expect one group of 5 within 2s
crash 5
run 3s
former 50000 to 1
expect no change for 3s
restart 5
expect one group of 5 within 1s

story former-merge
# A split heals while former sessions of all are sent again: one merge, and no new leader.
hosts 8
seeds 1..20
start all
run 3s
crash 1 2 3 4 5 6 7 8
start all
run 2s
split 1..4 | 5..8
run 5s
former 200
run 1s
mark m
heal
expect one group of 8 within 4 beacons
run 2s
expect formed == 1 since m
expect made == 0 since m

story former-reflected
# R2: the answers of a lone leader to recordings of a host that is off: Challenges to it and answers to
# its own, at most one per datagram. Nothing else is sent, and nothing is reported.
hosts 3
seeds 1..20
set priority 2..3 200
start all
run 3s
crash 2 3
restart 2 3
run 2s
crash 1 2 3
start 1
expect leader 1 within 3s
run 1s
mark m
former 20 to 1
run 10s
former 0
expect always leader 1 for 2s
expect changes == 0 since m
expect sent Challenge <= 60 since m
expect sent Challenge_answer <= 40 since m
expect sent AYCoord_answer == 0 since m
expect sent AYThere == 0 since m
expect sent AYThere_answer == 0 since m
expect sent Hello == 0 since m
expect sent Invitation == 0 since m
expect sent Accept == 0 since m
expect sent Accept_answer == 0 since m
expect sent Ready == 0 since m
expect sent Ready_answer == 0 since m
expect sent Decline == 0 since m
expect sent Goodbye == 0 since m

story former-standing
# R2, R3: recordings of two former sessions of each host reach a follower, then the leader, of a living
# group, five a second and 50 000 a second: no change, no invitation, and nothing is reported.
hosts 5
seeds 1..6
set priority 1 200
start all
run 3s
crash 1 2 3 4 5
start all
run 3s
crash 1 2 3 4 5
start 1..3
expect leader 1 within 3s
expect one group of 3 within 1s
run 1s
mark m
former 5 to 2
run 10s
former 50000 to 2
run 2s
former 5 to 1
run 10s
former 50000 to 1
run 2s
former 0
run 2s
expect leader 1
expect one group of 3
expect changes == 0 since m
expect sent Invitation == 0 since m
expect sent Ready == 0 since m
expect no problem 1 broken-links
expect no problem 2 broken-links
expect no problem 1 timings-differ
expect no problem 2 timings-differ
expect no problem 1 duplicate-id
expect no problem 2 duplicate-id

story former-told
# R3: the hosts that are off had other timings, and another setting of preempt. No host reports them.
hosts 4
seeds 1..10
set beacon 3..4 100ms
set preempt 3..4 on
set priority 3..4 200
start 3..4
run 3s
crash 3 4
run 1s
former 50
start 1..2
run 10s
expect one group of 2
expect no problem 1 timings-differ
expect no problem 2 timings-differ
expect no problem 1 preempt-differs
expect no problem 2 preempt-differs
expect no problem 1 broken-links
expect no problem 2 broken-links

story replay-after-restart
# Datagrams of a session that is over reach hosts that know the next one, and a new host.
hosts 4
seeds 1..10
set priority 1 200
set priority 4 50
start all
expect leader 1 within 5 beacons
run 2s
crash 1
expect led within 5 beacons
run 1s
mark m
replay AYCoord from 1
replay Ready from 1
replay Invitation from 1
run 1s
expect elections == 0 since m
crash 4
run 1s
restart 4
replay AYCoord from 1 to 4
replay Ready from 1 to 4 in 20ms
replay Invitation from 1 to 4 in 40ms
expect same group 2 3 4 within 8 beacons
expect formed == 0 since m

story W3-recording-below-an-answer-to-all
# Host 1 verifies host 2 by an answer to all, an Accept that is repeated (M16). Its former datagrams to all
# are closed, few as they are.
hosts 3
seeds 1..20
set priority 2 150
set priority 1 200
set priority 3 100
start 2 3
expect leader 2 within 20 beacons
run 1s
resign 2
run 3s
expect leader 3
run 10s
start 1
run 10s
expect leader 3
expect one group of 3
stop 3
drop Accept from 2 to 1 count 1
run 3s
expect leader 1
clear
run 500ms
mark n
replay Hello from 2 to 1
run 300ms
expect sent Invitation <= 0 since n
