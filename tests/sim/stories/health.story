# SPDX-License-Identifier: Apache-2.0
#
# Health: a leader with a sick service hands over, and a sick host does not lead (health.md).

story health-flaps
# A service that flaps costs one hand-over per bar time, and none while rise and fall hold.
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
# A leader with a sick service hands over to the best well host, and all know the reason.
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
expect bar 1 sick
expect unfit 3 of 1 sick within 5 beacons
expect no two leaders since m
report 1 pg well
expect always no role 1 leader for 3s
expect made <= 1 since m

story health-last-host
# A bar does not keep the last usable host from leading.
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
# If no host is well none leads; the first that becomes well does, whatever it was before.
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
# A host whose required name is not reported since its start does not lead.
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
# A reporter falls silent: that counts as sick. Its next report takes effect at once.
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
# With nobody_well = stay a service that fails on all hosts costs no role; the first well host leads.
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
# A service of the leader fails on each host in turn. Each hands over once, then none leads; when the
# first bar is over, that host tries again.
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
