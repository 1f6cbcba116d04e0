# SPDX-License-Identifier: Apache-2.0
#
# Suspicion (`doubt`): members ask others, and a silent coordinator's kernel (suspicion.md, Early suspicion).

story M14-doubt-dies-with-its-group
# M14: members suspect one coordinator when they get another; the suspicion ends with its group.
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
# suspicion.md: the first in succession misses four beacons, asks, and learns that its coordinator lives.
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
# An attacker without a key can neither keep a dead coordinator nor depose a living one.
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
# A dead host is detected before dead_after; all agree, and know the reason.
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
# If the kernel does not answer, a stall looks like a death: dead_after decides, as is reported.
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
# As long as one member alone hears the coordinator, it is not declared dead early.
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
# A beacon that only one member has lost costs a question of that member and nothing else.
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
# The first in succession is cut off: it suspects its own link, and leaves alone, after dead_after.
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
# A host that pauses for less than silence_ms causes nothing.
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
# The kernel of a stalled process answers, so it keeps its role. Stalled members blame no leader.
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
# With two hosts there is no third to ask. If the own link shows no life, dead_after decides.
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
# role.md: a host that pauses as a whole looks dead, and another leads. The first asks before it reports
# that it still leads, and stops if no host answers.
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
# suspicion.md: without early suspicion dead_after decides; the first two in succession ask before.
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
