# SPDX-License-Identifier: Apache-2.0
#
# Peers and routers: hosts without multicast, or behind routers (paths.md, Peers).

story apart-again
# Multicast reaches a host for a while, in which it leads, and no more when it follows. An insider that
# multicasts in its name does the same. Without the rule the leader's beacons never reach that host
# again, and it probes the leader in each beacon interval.
hosts 3
seeds 1..20
set preempt all on
set priority 1 200
set priority 2 150
multicast 2 off
peers 2 1
start all
expect leader 1 within 40 beacons
expect one group of 3 within 30 beacons
run 2s
multicast 2 on
hold 1 on
expect leader 2 within 20 beacons
run 2s
hold 1 off
expect leader 1 within 40 beacons
expect one group of 3 within 20 beacons
run 2s
multicast 2 off
mark off
run 10s
expect one group of 3
expect leader 1
expect sent AYThere < 70 since off
crash 1
expect led within 12 beacons

story peers
# No multicast; every host knows three addresses: all find each other, and go on if the three die.
hosts 10
seeds 1..20
multicast all off
peers all 1..3
start all
expect led within 15 beacons
expect one group of 10 within 25 beacons
run 2s
expect no change for 20 beacons
mark m
crash leader
expect led within 8 beacons
expect one group of 9 within 5 beacons
expect made <= 2 since m
crash 1 2 3
expect led within 12 beacons
expect agree within 10 beacons
restart all
expect one group of 10 within 40 beacons

story peers-any-order
# All hosts are off, and return in any order, the named one last.
hosts 6
seeds 1..20
multicast all off
peers 2..6 1
start all
expect one group of 6 within 30 beacons
crash 1 2 3 4 5 6
run 1s
restart 6
run 3s
restart 4 5
run 3s
restart 2
restart 3
run 3s
restart 1
expect one group of 6 within 30 beacons
expect led

story peers-both
# Multicast everywhere, and named peers: each datagram to all arrives twice, without effect.
hosts 6
seeds 1..20
peers all 1..3
start all
expect led within 5 beacons
expect one group of 6 within 5 beacons
run 1s
expect no change for 50 beacons
crash leader
expect led within 8 beacons

story peers-known-and-gone
# Hosts that were there and are silent for more than a minute are sent the datagrams to all in two
# seconds of ten, and none after an hour; one that returns is found though no host names it.
hosts 6
seeds 1..3
multicast all off
set priority 1 200
peers 2..6 1
start all
expect one group of 6 within 30 beacons
run 2s
crash 2 3 4 5 6
run 70s
mark m
run 50s
expect sent AYCoord <= 320 since m
expect sent AYCoord >= 100 since m
run 1h
mark gone
run 50s
expect sent AYCoord == 0 since gone
restart 2 3 4 5 6
expect one group of 6 within 30 beacons

story peers-loss
# 5 % of all datagrams are lost: no leader is lost to that, and one that dies is replaced.
hosts 10
seeds 1..20
multicast all off
peers all 1..3
loss 50
start all
expect one group of 10 within 50 beacons
run 3s
mark m
run 60s
expect made == 0 since m
crash leader
expect led within 15 beacons

story peers-mixed
# Half of the hosts have multicast and name no peer; the others name one of them. They are one group, a
# host heard by unicast is answered by unicast, and a datagram that arrives twice is no replay.
hosts 10
seeds 1..20
multicast 6..10 off
peers 6..10 2
start all
expect led within 40 beacons
expect one group of 10 within 30 beacons
run 2s
expect no change for 20 beacons
crash leader
expect led within 12 beacons
expect one group of 9 within 30 beacons
restart all
expect one group of 10 within 30 beacons
run 1s
stop leader
expect one group of 9 within 40 beacons
expect led within 2 beacons

story peers-one-address
# One address is enough: a member's, the coordinator's, or a living host's next to a dead one's. The
# host reached there names the address of its coordinator.
hosts 8
seeds 1..20
set priority 1 200
multicast all off
peers 2..5 1
start 1..5
expect leader 1 within 15 beacons
expect one group of 5 within 25 beacons
run 1s
mark m
peers 6 1
start 6
expect members 1 6 within 10 beacons
peers 7 3
start 7
expect members 1 7 within 10 beacons
crash 4
peers 8 4 5
start 8
expect one group of 7 within 15 beacons
expect leader 1
expect made == 0 since m

story peers-other-port
# The named instance has the third port of its host: it is found without a named port.
hosts 3
seeds 1..10
multicast all off
port 1 7546
peers 2..3 1
start all
expect one group of 3 within 40 beacons

story peers-silent
# Two hosts each name eight others, none of which runs: each gets one copy of a datagram to all.
hosts 10
seeds 1..10
multicast all off
peers 1..2 1..10
start 1 2
expect one group of 2 within 20 beacons
run 2s
mark m
run 20s
expect sent AYCoord <= 1000 since m
expect sent AYCoord >= 700 since m
expect datagrams <= 1300 since m

story peers-split
# After a split the only named host is on one side. Both sides go on, and find each other again, because
# a host that was heard once is sent the datagrams to all.
hosts 10
seeds 1..20
multicast all off
peers 2..10 1
start all
expect one group of 10 within 30 beacons
run 2s
split 1..4 | 5..10
expect groups 2 within 20 beacons
run 30s
expect groups 2
heal
expect one group of 10 within 20 beacons

story peers-two-lans
# Two LANs without multicast; the addresses on the first are named. When the first fails, the group goes
# on, or is one again by the time the LAN is back.
hosts 5
lans 2
seeds 1..20
multicast all off
peers all 1..2
start all
expect one group of 5 within 30 beacons
run 2s
on 1 cut 1 - all
run 5s
on 1 join 1 - all
expect one group of 5 within 30 beacons

story routers
# Three subnets with routers between them, one key and one address: a host that learns another's address
# from a third sends there, and all are one group.
hosts 9
seeds 1..20
multicast all off
subnet 1..3 1
subnet 4..6 2
subnet 7..9 3
routers all on
keys all enforce 1
peers 2..9 1
start all
expect led within 30 beacons
expect one group of 9 within 50 beacons
run 2s
expect no change for 20 beacons
crash 1
expect led within 30 beacons
expect one group of 8 within 50 beacons

story routers-without-key
# The same without a key: a host is answered at the address it was heard from, and an address that
# another host names is not used. 2 and 3 are one group with 1, and do not learn of each other.
hosts 3
seeds 1..10
multicast all off
subnet 1 1
subnet 2 2
subnet 3 3
set priority 1 200
peers 1 2
peers 2..3 1
start all
expect led within 30 beacons
expect one group of 3 within 50 beacons
run 2s
mark m
crash 1
run 20s
expect groups 2
