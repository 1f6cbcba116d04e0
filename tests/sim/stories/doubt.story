# SPDX-License-Identifier: Apache-2.0
#
# Suspicion (doubt): members ask each other and the kernel of a silent coordinator before they declare it
# dead (algorithm.md 4.4, 4.10).

story M14-doubt-dies-with-its-group
# M14: members are in the middle of doubting one coordinator when they get another; nothing of it is
# carried along.
hosts 6
seeds 1..40
set priority 1 200
set priority 2 150
split 1..3 | 4..6
start all
run 4s
drop AYCoord from 4 count 4
drop AYCoord from 1 count 4
run 450ms
heal
expect led within 15 beacons
run 1s
mark m
expect no change for 30 beacons

story beacons-lost-to-one
# 4.4: the first in succession misses four beacons, asks, and is told that its coordinator lives.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
drop AYCoord from 1 to 2 count 4
expect no change for 3s

story doubt-answers-forged
# 4.10: who has no key can neither keep a silent coordinator nor depose a living one, whatever it
# repeats, changes or says.
hosts 5
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
hostile 300
run 2s
mark m
stall 1 300ms
expect no change for 1s
replay AYThere_answer from 1
drop AYCoord from 1 to 2
expect no change for 1s
stall 1 300ms
expect no change for 1s
mark n
crash 1
replay AYThere_answer from 1 in 230ms
replay AYThere_answer from 3 in 240ms
expect one group of 4 within 490ms

story doubt-dead
# 4.10: a silent host is found before dead_after; all agree, and know why.
hosts 5
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
crash 1
expect one group of 4 within 480ms
expect led
expect elections == 1 since m
expect made == 1 since m
expect in total election-datagrams <= 880 since m
expect reason 2 coordinator-silent
expect cause 3 1

story doubt-firewall
# 4.10: a kernel that never answers, or no more, cannot tell a stall from a death: dead_after decides
# alone, and that is told.
hosts 5
seeds 1..20
set priority 1 200
kernel 1 silent
start all
expect leader 1 within 6 beacons
run 5s
expect problem 2 kernel-silent
expect problem 5 kernel-silent
mark m
stall 1 350ms
expect no change for 1s
kernel 1 answers
run 61s
expect no problem 2 kernel-silent
kernel 1 silent
run 66s
expect problem 2 kernel-silent
mark n
stall 1 350ms
expect no change for 1s
expect elections == 0 since m
crash 1
run 340ms
expect elections == 0 since n
expect one group of 4 within 360ms

story doubt-lone-yes
# 4.10: one member alone still hears the coordinator: nobody declares that dead early.
hosts 5
seeds 1..20
set priority 1 200
set priority 5 10
start all
expect leader 1 within 6 beacons
run 1s
mark m
cut 1 > 2
cut 1 > 3
cut 1 > 4
run 355ms
expect elections == 0 since m
expect role 1 leader
expect same group 1 2 3 4 5

story doubt-loss
# 4.10: a beacon that one member alone has lost is a question of it, and nothing else.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
run 1s
mark m
drop AYCoord from 1 to 2
expect no change for 1s
expect sent AYThere <= 25 since m
expect elections == 0 since m

story doubt-own-link
# 4.10: the first in succession is cut off: nobody answers it, so it suspects its own link, and leaves
# alone, at dead_after.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
run 1s
mark m
cut 2 - 1
cut 2 - 3
cut 2 - 4
cut 2 - 5
run 355ms
expect elections == 0 since m
run 400ms
expect elections == 1 since m
expect leader 1
expect no role 3 leader
expect same group 1 3 4 5

story doubt-pause
# 4.10: a host that pauses for less than silence_ms costs nothing.
hosts 5
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall --host 1 190ms
run 1s
stall --host 1 190ms
expect no change for 1s
expect elections == 0 since m

story doubt-stall
# 4.10: a process that stands still has a kernel that answers: it keeps its role. Nor do members that
# stand still blame their leader.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 300ms
run 1300ms
stall 1 350ms
run 1300ms
stall 2 300ms
stall 3 250ms
run 1300ms
stall 1 300ms
stall 2 300ms
expect no change for 2s
expect elections == 0 since m

story doubt-two
# 4.10: of two hosts nobody else can be asked: a cut looks as a dead host does, and dead_after decides.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
cut 1 - 2
run 355ms
expect groups 1
expect groups 2 within 300ms

story doubt-vm
# 4.10, 4.6: a host that pauses as a whole looks dead: another leads. The first asks before anybody is
# told that it still leads, and stops when nobody answers.
hosts 5
seeds 1..100
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
stall --host 1 500ms when it sends AYCoord
expect leaders 2 within 800ms
expect asking 1 within 300ms
expect role 1 none within 62ms
run 1s
expect one group of 5
expect role 1 follower
expect led

story without-doubt
# 4.4: without early doubt, dead_after alone says that a coordinator is gone, and the first two ask before.
hosts 5
seeds 1..20
set silence all 0ms
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
drop AYCoord from 1 to 2 count 4
expect no change for 3s
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
expect election-datagrams <= 23 since m
