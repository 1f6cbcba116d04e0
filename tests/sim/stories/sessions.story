# SPDX-License-Identifier: Apache-2.0
#
# Sessions: how a host tells a live session from a replay, and sequences that an insider forges.

story W1-rain-of-forged-sequences
# sessions.md, W1: for two seconds an insider sends forged sequences in the name of all hosts, in both
# spaces. Three beacons after the last one there is one group with one leader, and it stays; or, if the
# last beacon begins a merge, the window of an election later. At 600 ms 3 of 500 seeds fail.
hosts 4
seeds 1..60
start all
expect led within 4s
expect one group of 4 within 2s
run 2s
poison 1..4 near every 20ms for 2s
run 1980ms
run 700ms
expect led
expect always one group of 4 for 3s

story W1-recorded-forgeries
# sessions.md, W1 (2): an insider sends beacons of the leader under sequences that it has not used yet,
# and leaves. When the session of the leader comes near them the leader is cut off, and recordings of
# these beacons are played: they do not pass for its own, so it is missed as usual.
hosts 5
seeds 1..20
set priority 5 200
start all
expect leader 5 within 3s
expect one group of 5 within 3s
run 2s
forge AYCoord of 5 above 160 to 98
run 17s
expect one group of 5
expect leader 5
cut 5 - 1..4
replay forged of 5 every 400ms
expect leaders 2 within 1s
expect same group 1 2 3 4
expect always same group 1 2 3 4 for 20s

story W3-forwarded-reads-its-list
# W3: the forwarded Invitation of its coordinator moved a member to another group; that message is all
# it has from the inviter. The member challenges the inviter, so the list needs no repeats.
hosts 5
seeds 1..60
split 1 2 | 3 4 5
start all
run 5s
heal
expect one group of 5 within 240ms

story W3-recorded-crash
# sessions.md, W3: h2 coordinated while all waited for the demotion of h1, and follows now. Its messages
# of then reach h5, which started since and knows its session only from the list: h5 does not believe
# them, and leads at once when it is its turn.
hosts 5
seeds 1..20
hook 1 6s
set priority 1 200
set priority 2 150
set preempt 1..5 on
start 1..4
expect leader 1 within 3s
expect one group of 4 within 3s
run 2s
kill 1
run 1s
priority 3 250
run 8s
expect leader 3
run 5s
set priority 5 220
start 5
expect one group of 4 within 1s
run 2s
crash 3
run 100ms
replay AYCoord from 2 to 5
expect leader 5 within 450ms

story W3-succession-waits-once
# W3: a hundred members challenge their successor at random moments, and accept without a second wait.
# The leader is killed before they have verified the first two in succession.
hosts 100
seeds 1..2
start all
expect one group of 100 within 80 beacons
expect led within 2 beacons
kill leader
expect led within 12ms

story answer-of-a-former-life
# trust.md 3: an answer without a request proves nothing. Both hosts lose their state; then an old
# answer and an old Invitation of the dead host 2 arrive again: 1 does not follow them.
hosts 2
set priority 2 200
start 2
expect leader 2 within 15 beacons
start 1
expect one group of 2 within 5 beacons
run 1s
crash 1 2
start 1
run 100ms
replay Challenge_answer from 2 to 1
run 10ms
replay Invitation from 2 to 1 in 5ms
expect always no state 1 reorganizing for 300ms

story successors-verified
# Successors: in a quiet group all know the first two in succession: no Challenge is sent, neither while
# it is quiet nor when the coordinator crashes or is killed.
hosts 20
seeds 1..5
start all
expect led within 8 beacons
run 1s
mark m
run 10s
crash leader
expect led within 4 beacons
expect sent Challenge == 0 since m
run 1s
mark m
kill leader
expect led within 1 beacon
expect sent Challenge == 0 since m

story successors-verified-at-once
# Successors: the coordinator and its successor die together: the members follow the second at once, too.
hosts 9
seeds 1..5
set priority 1 200
set priority 2 150
set priority 3 120
start all
expect leader 1 within 5 beacons
run 1s
mark m
crash 1 2
expect leader 3 within 6 beacons
expect sent Challenge == 0 since m

story successors-asked-again
# Successors: Challenges and answers are lost: each is asked again, and not for ever.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
set priority 3 120
drop Challenge_answer from 2 to 4 count 3
drop Challenge from 5 to 3 count 3
start all
expect leader 1 within 5 beacons
run 1s
mark m
crash 1
expect leader 2 within 4 beacons
expect sent Challenge == 0 since m

story successors-do-not-answer
# Successors: the answers of 2 do not come to 3: it asks four times for each list, and no more.
hosts 3
seeds 1..10
set priority 1 200
set priority 2 150
drop Challenge_answer from 2 to 3 count 1000
start all
expect leader 1 within 5 beacons
run 1s
priority 3 90
mark m
run 20s
expect sent Challenge == 4 since m
clear
crash 1
expect leader 2 within 6 beacons

story successors-cost
# Successors: a host that joins a hundred asks two of them; one that is to succeed is asked by all, in turn.
hosts 101
set priority 100 150
set priority 101 90
start 1..99
expect one group of 99 within 80 beacons
run 2s
mark m
start 101
run 2s
expect one group of 100
expect handshake-datagrams <= 14 since m
mark m
start 100
run 2s
expect one group of 101
expect handshake-datagrams <= 220 since m
