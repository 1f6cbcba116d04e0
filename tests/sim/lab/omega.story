# SPDX-License-Identifier: Apache-2.0
#
# Omega and omega-recovery: false suspicions and hosts that come and go (elections.md).

story false-suspicion-grows-the-interval
# omega: each stall of 650 ms is a mistake until the interval is long enough; after eight of them the
# others follow host 1 through its stalls.
algorithm omega
hosts 4
seeds 1..10
start all
run 3s
expect leader 1
mark first
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
expect made >= 1 since first
mark then
stall 1 650ms
run 4s
stall 1 650ms
run 4s
stall 1 650ms
run 4s
stall 1 650ms
run 4s
stall 1 650ms
run 4s
stall 1 650ms
run 4s
expect leader 1
expect made == 0 since then

story flapping-host-leads-again
# omega, C2: a host that returns was a mistake, and leads again each time. The interval grows: the
# eighth crash is noticed later than the first.
algorithm omega
hosts 5
seeds 1..10
start all
run 3s
expect leader 1
crash 1
expect leader 2 within 6 beacons
run 2s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
expect always no leader 2 for 3 beacons
expect leader 2 within 12 beacons

story flapping-host-never-leads
# omega-recovery: a host that crashes often has a higher incarnation than the others, and leads no more.
algorithm omega-recovery
hosts 5
seeds 1..10
start all
run 3s
expect leader 1
crash 1
expect leader 2 within 10 beacons
run 2s
mark m
restart 1
expect always leader 2 for 3s
crash 1
run 3s
restart 1
run 3s
crash 1
run 3s
restart 1
run 3s
crash 1
run 3s
restart 1
run 3s
crash 1
run 3s
restart 1
run 3s
expect leader 2
expect led
expect elected 1 2
expect in total made == 0 since m
