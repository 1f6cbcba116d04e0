# SPDX-License-Identifier: Apache-2.0
#
# Broken links: they carry one way only, or not between each pair of hosts.

story F01-foreign-reported
# F1: 1 and 3 cannot hear each other, 2 hears both. Both ends report two leaders, and no group flaps.
hosts 3
set priority 1 200
set priority 3 150
cut 1 - 3
start all
run 5s
expect leaders 2
expect foreign 3 1 within 30 beacons
expect problem 3 broken-links
expect no change for 50 beacons
join 1 - 3
expect leader 1 within 20 beacons
expect one group of 3 within 20 beacons
expect no problem 3 broken-links within 60 beacons

story F01-two-hear-both
# F1: 1 and 12 cannot hear each other. One of the ten others reports it to both; if it dies, another.
hosts 12
set priority 1 200
set priority 12 150
cut 1 - 12
start all
run 9s
expect leaders 2
expect problem 1 broken-links
expect problem 12 broken-links
mark m
expect always problem 1 broken-links for 20s
expect problem 12 broken-links
expect sent AYCoord_answer <= 30 since m
join 1 - 12
expect one group of 12 within 40 beacons

story M05-only-who-answered
# M5: a link that carries one way only causes nothing.
hosts 4
set priority 1 200
split 1 2 | 3 4
start all
run 4s
expect leaders 2
heal
cut 3 > 1
cut 3 > 2
cut 4 > 1
cut 4 > 2
mark m
run 20s
expect elections == 0 since m
expect leaders 2

story M06-worse-never-invites-better
# M6: a host on a flapping link, however good, does not take over the group that it drops out of.
hosts 6
seeds 1..5
set priority 1 150
set priority 6 200
set preempt all off
start 1..5
expect leader 1 within 5 beacons
start 6
expect one group of 6 within 10 beacons
run 2s
mark m
flap 1 - 6 every 900ms times 10
flap 2 - 6 every 900ms times 10
flap 3 - 6 every 900ms times 10
flap 4 - 6 every 900ms times 10
flap 5 - 6 every 900ms times 10
expect always role 1 leader for 20s
expect one group of 6 within 10 beacons
expect made == 0 since m

story better-hears-worse-one-way
# M5: the better coordinator hears the worse one and is not heard: without an answer it starts nothing.
hosts 4
seeds 1..5
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
split 1 2 | 3 4
run 4s
expect leaders 2
heal
cut 1 > 3
cut 1 > 4
cut 2 > 3
cut 2 > 4
mark m
run 20s
expect formed == 0 since m
expect leaders 2

story deaf-link-heals
# A link that works one way makes a live session look like a replay. When the link is whole again, the
# hosts find each other, whichever of them did not hear the other.
hosts 2
seeds 1..20
cut 2 > 1
start all
run 30s
heal
expect one group of 2 within 5 beacons
crash 1 2
cut 1 > 2
start all
run 30s
heal
expect one group of 2 within 5 beacons

story non-transitive-settles
# 1 and 4 cannot hear each other in a LAN of five: groups settle and do not flap.
hosts 5
seeds 1..10
cut 1 - 4
start all
run 15s
mark m
run 20s
expect elections <= 8 since m
join 1 - 4
expect one group of 5 within 40 beacons
expect led within 10 beacons

story worse-hears-more
# M6: the better coordinator gets no answer; the worse one hears it well and does not invite it.
hosts 5
seeds 1..5
set priority 1 200
set yield_timeout all 1s
split 1 2 3 | 4 5
start all
run 4s
expect leaders 2
drop AYCoord_answer from 4 count 100000
drop AYCoord_answer from 5 count 100000
heal
mark m
run 10s
expect elections == 0 since m
expect formed == 0 since m
