# SPDX-License-Identifier: Apache-2.0
#
# Health: a leader hands over if what it needs is sick, and a sick host does not begin to lead
# (algorithm.md 4.12).

story health-flaps
# 4.12: a service that flaps costs one hand-over in a bar time, and none while rise and fall hold.
hosts 3
set priority 1 200
set preempt all on
set sick_bar all 10s
start all
expect leader 1 within 5 beacons
run 1s
mark m
report 1 pg well fall 2
report 1 pg sick fall 2
report 1 pg well fall 2
report 1 pg sick fall 2
expect always role 1 leader for 1s
report 1 pg sick
expect leader 2 within 10 beacons
expect always no role 1 leader for 8s
report 1 pg well
expect always no role 1 leader for 1s
expect leader 1 within 5s
expect made == 2 since m

story health-hands-over
# 4.12: a leader whose service is sick hands over to the best that is well, and all know why.
hosts 3
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
report 1 pg well fall 3 rise 2
report 1 pg sick fall 3 rise 2
report 1 pg sick fall 3 rise 2
run 1s
expect leader 1
report 1 pg sick fall 3 rise 2
expect no role 1 leader within 20ms
expect reason 1 sick
expect led within 2 beacons
expect one group of 3 within 8 beacons
expect unfit 2 of 1 sick within 5 beacons
expect unfit 3 of 1 sick within 5 beacons
expect no two leaders since m
report 1 pg well
expect always no role 1 leader for 3s
expect made <= 1 since m

story health-last-host
# 4.12: a bar does not keep the only host that is left from leading.
hosts 3
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
report 1 pg sick
expect leader 2 within 10 beacons
report 1 pg well
expect always no role 1 leader for 2s
expect unfit 2 of 1 barred within 5 beacons
report 2..3 pg sick
expect leader 1 within 10 beacons

story health-nobody-well
# 4.12: nobody is well: nobody leads, and the first that gets well does, whatever it was before.
hosts 3
start all
expect led within 10 beacons
run 1s
report all db sick
expect leaders 0 within 1s
expect always leaders 0 for 5s
expect agree within 10 beacons
run 5s
report 2 db well
expect leader 2 within 10 beacons
expect one group of 3 within 10 beacons

story health-required
# 4.12: a required name that nobody has reported is unknown, and unknown does not lead; a start
# forgets what was reported before it.
hosts 2
require all pg
start all
expect always leaders 0 for 5s
expect sick 1
report 2 pg well
expect leader 2 within 5 beacons
expect unfit 2 of 1 unknown within 5 beacons
report 1 pg well
run 1s
expect leader 2
crash 2
expect leader 1 within 15 beacons
restart 2
run 2s
expect sick 2
expect leader 1

story health-silent
# 4.12: who reports falls silent: that is sickness. The next word counts at once.
hosts 2
set priority 1 200
start all
expect leader 1 within 5 beacons
report 1 pg well rise 5 stale 2s
run 1900ms
expect leader 1
expect leader 2 within 400ms
expect sick 1
report 1 pg well rise 5 stale 60s
expect no sick 1

story health-stays
# 4.12: with nobody_well = stay a thing that all need takes the lead from nobody; the first that is
# well again has it.
hosts 3
seeds 1..10
set sick_stays all on
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
report 2..3 db sick
run 1s
mark m
report 1 db sick
expect always role 1 leader for 5s
report 3 db well
expect leader 3 within 5 beacons
expect no two leaders since m
report 3 db sick
expect always role 3 leader for 3s

story health-unit-on-each
# 4.12: what runs on the leader only fails on each host in turn: each hands over once, then nobody
# leads, and when the first bar is over that host tries again.
hosts 3
set sick_bar all 5s
promotion all 100ms
start all
expect led within 10 beacons
run 1s
mark m
report leader unit sick leading
run 1s
expect led
expect made == 1 since m
report leader unit sick leading
run 1s
expect led
expect made == 2 since m
report leader unit sick leading
run 100ms
expect leaders 0
expect always leaders 0 for 1s
run 3s
expect made == 3 since m
expect no two leaders since m
expect always no sick 1 for 100ms
run 20s
expect made == 3 since m
expect led
