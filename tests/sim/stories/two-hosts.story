# SPDX-License-Identifier: Apache-2.0
#
# Two hosts: no third host can be asked. Without a gateway or other devices (own-link.story) a host that
# is left alone may be cut off.

story two-link-flaps
# The link between two hosts flaps too fast for one of them to lead alone: no role changes.
hosts 2
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
flap 1 - 2 every 500ms times 20
expect always role 1 leader for 20s
expect one group of 2 within 10 beacons
expect made == 0 since m

story two-one-dies
# One of two hosts dies, and no link shows any life: the survivor leads after dead_after and lone_hold.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
crash 1
expect always no role 2 leader for 1500ms
expect leader 2 within 500ms
restart 1
expect one group of 2 within 8 beacons
expect leader 2

story two-one-returns
# The link of one of two hosts is cut for a while; the host that led leads on.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
cut 1 - 2
run 5s
expect leaders 2
mark m
join 1 - 2
expect led within 5 beacons
expect one group of 2
expect made == 0 since m

story two-one-says-goodbye
# One of two hosts sends Goodbye: the other leads at once.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
stop 1
expect leader 2 within 1 beacon
expect reason 2 coordinator-stopped

story two-start-together
# Two hosts start together: one leader.
hosts 2
seeds 1..20
start all
expect led within 5 beacons
expect one group of 2
expect made == 1
run 1s
expect no change for 50 beacons
