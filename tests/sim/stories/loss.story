# SPDX-License-Identifier: Apache-2.0
#
# Loss: single datagrams, or a share of all of them, are lost.

story F19-repeats-within-the-window
# F19: one lost datagram of each kind costs no host its membership; nor does a lost Invitation of a
# succession, after which 3 would try to succeed, too.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
set priority 3 120
drop Invitation to 4
drop Accept from 3
drop Ready to 4
drop Ready_answer from 5
start all
expect one group of 5 within 4 beacons
expect formed == 1
run 2s
clear
drop Invitation from 2 to 3 count 1
mark m
crash 1
expect one group of 4 within 4 beacons
expect elections == 1 since m

story M09-crash-under-loss
# M9: a member that does not answer stays listed and is probed, so a crash at 10 % loss is over soon.
hosts 10
seeds 1..60
loss 100
set priority 1 200
start all
expect led within 25 beacons
run 3s
mark m
crash 1
expect agree within 12 beacons
expect in total formed <= 75 since m

story all-or-nothing-loss
# Loss rises to 30 % and ends: there is one group at the end and it stays.
hosts 8
seeds 1..10
loss 300
start all
run 10s
loss 0
expect led within 40 beacons
expect one group of 8 within 40 beacons
run 3s
expect no change for 50 beacons

story joins-under-loss
# R: one datagram in three is lost, Challenges, too. No living host is taken for unresponsive.
hosts 4
seeds 1..40
set priority 1 200
start all
expect one group of 4 within 3s
run 2s
loss 300
crash 4
restart 4
expect one group of 4 within 2500ms

story ready-lost-once
# F19: the first list is lost to one host: the next copy comes 20 ms later.
hosts 5
seeds 1..10
set priority 1 200
drop Ready from 1 to 3 count 1
start all
at 670ms expect one group of 5

story four-probes-lost
# M9: four probes of a silent member get no answer, the fifth does: the member is not dropped. The
# second and the fourth answer go to both others, too.
hosts 3
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
drop AYThere from 3 count 100
drop AYThere_answer from 3 count 8
expect always members 1 3 for 5s
