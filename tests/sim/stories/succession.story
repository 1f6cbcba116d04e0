# SPDX-License-Identifier: Apache-2.0
#
# Succession: the coordinator is gone, and the next host on the membership list forms the group.

story M01-two-kinds-of-no
# M1: the coordinator is back after 100 ms and disowns its group: the members go on at once, in one.
hosts 20
seeds 1..10
start all
expect led within 5 beacons
set priority 1 101
run 2s
mark m
crash 1 2 3
run 100ms
restart 1 2 3
expect led within 8 beacons
run 1s
expect formed <= 1 since m
expect made <= 1 since m
expect election-datagrams <= 6 a host since m

story M03-live-coordinator-declines
# M3: the next in succession does not hear its living coordinator: no member follows it.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
cut 1 > 2
expect always role 1 leader for 10s
expect same group 1 3 4 5
join 1 > 2
expect one group of 5 within 40 beacons
expect leader 1

story M08-inviter-dies-in-the-middle
# M8: the successor dies after its Invitation; the hosts that accepted go on over the last list.
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
crash 2 when it sends Invitation
crash 1
mark m
run 2s
expect led
expect one group of 4 within 10 beacons
expect formed <= 2 since m
expect made <= 1 since m

story M10-majority-before-leading
# M10: the successor is cut off as the coordinator dies: it must not lead while most follow another.
hosts 7
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
crash 1
split 2 | 3..7
mark m
expect leaders 1 within 5 beacons
expect no role 2 leader
expect always no role 2 leader for 500ms

story coordinator-crashes
# The coordinator crashes: the next in succession leads soon, in one group; all know the reason.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
crash 1
expect leader 2 within 4 beacons
expect one group of 4 within 1 beacon
expect reason 2 coordinator-silent
expect reason 3 coordinator-silent
expect cause 3 1
expect formed == 1 since m
expect made == 1 since m
expect token of 2 > token of 1
expect election-datagrams <= 44 since m
run 3s
restart 1
expect one group of 5 within 8 beacons
expect leader 2
expect no change for 100 beacons

story coordinator-restarts-at-once
# The coordinator is killed and restarted at once: one group is formed.
hosts 5
seeds 1..40
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
crash 1
run 20ms
restart 1
expect led within 6 beacons
run 2s
expect one group of 5
expect formed == 1 since m
expect made == 1 since m

story deaf-successor
# M10: only one of four others hears the first in succession: it does not lead at once.
hosts 6
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
cut 2 - 4
cut 2 - 5
cut 2 - 6
crash 1
expect always no role 2 leader for 1400ms
expect bar 2 survivors

story early-successor
# M2: 2 misses the last two beacons and acts while the others still trust their dead coordinator. They
# decline once, and follow within the longer window when they suspect it, too.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
drop AYCoord from 1 to 2 count 2
drop AYThere_answer from 1 to 2 count 100
crash 1 when it sends AYCoord skip 1
run 3s
expect led
expect in total formed <= 22 since m

story many-die-at-once
# F7: the first fifty in succession die together: the others do not wait a step for each of them.
hosts 60
seeds 1..3
set priority 1..50 200
start all
expect led within 5 beacons
run 2s
crash 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
crash 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50
expect agree within 7 beacons

story twenty-lose-their-leaders-one-by-one
# Six hosts, of which the leader stops again and again until one is left.
hosts 6
seeds 1..5
set priority 1 106
set priority 2 105
set priority 3 104
set priority 4 103
set priority 5 102
set priority 6 101
start all
expect leader 1 within 5 beacons
run 1s
mark m
stop 1
expect leader 2 within 1 beacon
run 500ms
stop 2
expect leader 3 within 1 beacon
run 500ms
stop 3
expect leader 4 within 1 beacon
run 500ms
stop 4
expect leader 5 within 1 beacon
run 500ms
stop 5
expect leader 6 within 1 beacon
expect formed == 5 since m
expect no two leaders since m

story two-successors
# merge.md: a late Invitation of the first successor meets the second: the first on the list wins.
hosts 6
seeds 1..20
set priority 1 200
set priority 2 150
set priority 3 140
start all
expect leader 1 within 5 beacons
run 2s
delay Invitation by 70ms from 2 count 60
mark m
crash 1
run 3s
expect led
expect leader 2
expect in total formed <= 22 since m
