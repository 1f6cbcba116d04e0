# SPDX-License-Identifier: Apache-2.0
#
# Quorum: a host leads only if enough members have answered.

story F17-quorum
# F17: with a quorum of three the smaller side of a split does not lead.
hosts 5
set quorum all 3
start all
expect led within 5 beacons
run 1s
mark m
split 1 2 | 3 4 5
run 4s
expect leaders 1
expect role 1 none
expect role 2 none
expect bar 2 quorum
expect problem 1 no-quorum
heal
expect led within 10 beacons
expect no problem 1 no-quorum

story Q1-member-restarts-at-the-quorum
# Q1: the last member that the quorum needs restarts at once: its former answers still count.
hosts 3
seeds 1..20
set quorum all 3
set priority 1 200
start all
expect leader 1 within 6 beacons
run 2s
mark m
crash 3
run 100ms
start 3
run 3s
expect made == 0 since m
expect leader 1

story Q1-no-role-lost-to-loss
# Q1: a lost answer costs no role: a missing member is asked again, alone, in time.
hosts 2
seeds 1..20
set quorum all 2
start all
expect led within 6 beacons
mark led
loss 50
run 120s
expect made == 0 since led
expect datagrams <= 900 a host since led

story Q1-one-leader-in-a-split
# Q1, S7: with a quorum of more than half the old leader of a split stops before the other side leads,
# even if datagrams were lost before; the other side leads within a second.
hosts 5
seeds 1..200
set quorum all 3
set priority 1 200
condition absent
start all
expect leader 1 within 6 beacons
loss 100
run 3s
mark split
split 1 2 | 3 4 5
loss 0
run 4s
expect no two leaders since split
expect leaders 1
expect role 1 none
expect problem 1 no-quorum

story Q1-one-leader-in-a-split-of-3
# Q1, S7: the same for three hosts; the leader is left alone.
hosts 3
seeds 1..100
set quorum all 2
set priority 1 200
condition absent
start all
expect leader 1 within 6 beacons
run 2s
mark split
split 1 | 2 3
run 4s
expect no two leaders since split
expect leaders 1
expect role 1 none
mark healed
heal
expect one group of 3 within 10 beacons
expect led within 10 beacons
expect no two leaders since healed

story Q1-one-leader-in-a-split-of-12
# Q1, S7: the same for twelve hosts of which the leader keeps five, with the timings of the profile
# "fast". Then the next leader is cut off with four others.
hosts 12
seeds 1..20
set quorum all 7
set priority 1 200
set priority 8 150
set beacon all 50ms
condition absent
start all
expect leader 1 within 3s
run 2s
mark split
split 1..5 | 6..12
run 4s
expect no two leaders since split
expect leader 8
expect role 1 none
heal
expect one group of 12 within 3s
expect leader 8
run 2s
mark again
split 7..11 | 1..6 12
run 4s
expect no two leaders since again
expect leader 1
expect role 8 none

story Q1-one-leader-in-a-split-fastest
# Q1, S7: the same for five hosts with the profile "fastest": beacons of 10 ms.
hosts 5
seeds 1..50
set quorum all 3
set priority 1 200
set beacon all 10ms
set dead_after all 27ms
set start_hold all 30ms
set lone_hold all 54ms
set preempt all on
condition absent
start all
expect leader 1 within 2s
run 2s
mark split
split 1 2 | 3 4 5
run 1s
expect no two leaders since split
expect leaders 1
expect role 1 none

story Q1-overtaken-hello
# Q1: a Hello of the leader that its own group has overtaken is no restart: no host succeeds it.
hosts 3
seeds 1..20
set priority 1 200
delay Hello from 1 by 800ms count 1
start all
expect leader 1 within 8 beacons
run 3s
expect formed == 1
expect made == 1

story Q1-reload-costs-no-role
# Q1: a quorum set on running hosts, one by one, changes no role; the members report the difference.
hosts 3
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 2s
mark m
set quorum 1 2
run 700ms
set quorum 2 2
run 700ms
set quorum 3 2
run 3s
expect made == 0 since m
expect formed == 0 since m
expect problem 3 quorum-differs
expect no problem 1 no-quorum
run 60s
expect no problem 1 quorum-differs
expect no problem 2 quorum-differs
expect no problem 3 quorum-differs

story Q1-short-stalls-cost-no-role
# Q1: a leader that stalled for a moment reads its members' answers before it judges.
hosts 5
seeds 1..20
set quorum all 3
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 300ms
run 1300ms
stall 1 300ms
run 1300ms
stall 1 300ms
run 2s
expect made == 0 since m

story Q2-unacknowledged-does-not-count
# Q2: a host that never gets the list is not in a quorum.
hosts 2
set quorum all 2
drop Ready to 2 count 1000000
drop Ready to 1 count 1000000
start all
run 30s
expect no ever led 1
expect no ever led 2
clear
expect led within 40s

story quorum-lost-while-yielding
# S7: a leader that resigns has a long demotion, and loses the others meanwhile. Without its quorum it
# stops leading at once, not when its demotion has ended, because the others have a leader by then.
hosts 5
seeds 1..5
set quorum all 3
set yield_timeout 1 10s
hook 1 8s
set priority 1 200
start all
expect leader 1 within 12 beacons
run 2s
mark m
resign 1
run 300ms
expect leader 1
split 1 2 | 3..5
expect no role 1 leader within 8 beacons
expect leaders 1 within 6 beacons
expect no two leaders since m
