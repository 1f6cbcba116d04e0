# SPDX-License-Identifier: Apache-2.0
#
# One LAN with IPv4 (`on 1`) and IPv6 (`on 2`). While all is quiet, beacons go by one of them
# (links.md, Two families).

story families-rest
# Five hosts at rest: 5 beacons a second by one family, half a one by the other, and 8.7 reports of members.
# By both families at all times: 20.
hosts 5
families
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 10s
mark quiet
run 100s
expect changes == 0 since quiet
expect sent AYCoord <= 570 since quiet
expect sent AYThere <= 890 since quiet
expect datagrams <= 1490 since quiet

story families-dies
# Multicast by the family in use dies, as where a switch forgets who wants it. A member that misses the next
# beacon asks, and a beacon by both families is the answer: no host leads but the first. Then the other
# family is in use, until it dies instead.
hosts 5
families
seeds 1..20
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 10s
mark quiet
on 1 multicast all off
run 3s
expect sent AYThere_answer <= 4 since quiet # the first two members ask once, and are answered by both
expect always leader 1 for 20s
mark other
run 20s
expect sent AYCoord <= 125 since other
on 1 multicast all on
run 5s
on 2 multicast all off
expect always leader 1 for 20s
expect changes == 0 since quiet
expect no two leaders since quiet

story families-dies-quorum
# The same with a quorum, for which each beacon is answered.
hosts 5
families
seeds 1..20
set priority 1 200
set quorum all 3
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 10s
mark quiet
run 20s
expect sent AYCoord <= 125 since quiet
on 1 multicast all off
expect always leader 1 for 20s
on 1 multicast all on
run 5s
on 2 multicast all off
expect always leader 1 for 20s
expect changes == 0 since quiet

story families-dies-at-one
# Only one member stops to hear the family in use, the last one in succession, then the first.
hosts 5
families
seeds 1..20
set priority 1 200
set priority 2 150
set priority 5 50
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 10s
mark quiet
on 1 cut all > 5
expect always leader 1 for 20s
on 1 join all > 5
run 5s
on 2 cut all > 2
on 1 cut all > 2
on 2 join all > 2
expect always leader 1 for 20s
expect changes == 0 since quiet

story families-no-carrier
# A host loses one family with its link: at a member, then at the leader.
hosts 5
families
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 10s
mark quiet
on 1 link 3 down
expect always leader 1 for 10s
on 1 link 3 up
run 10s
on 1 link 1 down
expect always leader 1 for 10s
on 1 link 1 up
run 5s
on 2 link 1 down
expect always leader 1 for 10s
expect changes == 0 since quiet

story families-loss
# One family loses half of its datagrams, then the other, then both lose 20 %.
hosts 5
families
seeds 1..20
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 10s
mark quiet
on 1 loss 500
expect always leader 1 for 60s
on 1 loss 0
on 2 loss 500
expect always leader 1 for 60s
loss 200
expect always leader 1 for 60s
expect changes == 0 since quiet

story families-mixed
# One host hears IPv4 only, another one IPv6 only: beacons go by both, and both stay members.
hosts 5
families
seeds 1..10
set priority 1 200
on 1 multicast 4 off
on 2 multicast 5 off
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 10s
mark quiet
run 20s
expect changes == 0 since quiet
expect sent AYCoord >= 180 since quiet
expect sent AYThere_answer == 0 since quiet

story families-late
# A busy leader, whose process stalls for 100 ms once a second: late beacons show no fault, and the saving
# goes on.
hosts 5
families
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 10s
mark quiet
stall 1 100ms
run 1s
stall 1 100ms
run 1s
stall 1 100ms
run 1s
stall 1 100ms
run 1s
stall 1 100ms
run 1s
stall 1 100ms
run 1s
expect changes == 0 since quiet
expect sent AYCoord <= 45 since quiet

story families-restarts
# A member restarts: as soon as it is back, ten beacons pass by both families.
hosts 5
families
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
run 10s
crash 3
run 3s
start 3
expect one group of 5 within 2s
run 5s
mark back
run 20s
expect sent AYCoord <= 125 since back

story families-gone
# A leader dies for good. Its successor looks for lost hosts for a minute, by both families, and no longer.
hosts 5
families
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 2s
run 10s
crash 1
expect role 2 leader within 600ms
mark gone
run 30s
expect sent AYCoord >= 500 since gone
run 35s
mark quiet
run 20s
expect sent AYCoord <= 125 since quiet

story families-heals
# A LAN that was split for so long that both parts are quiet: each saves, and they meet at the next beacon.
hosts 5
families
seeds 1..20
set priority 1 200
start all
expect leader 1 within 2s
run 10s
split 1 2 | 3 4 5
run 90s
expect leaders 2
heal
expect one group of 5 within 1s
expect leaders 1 within 1s

story families-heals-by-the-other
# ... and if only the other family is whole again, at the next beacon by both, one in ten: 2.4 s later.
hosts 5
families
seeds 1..20
set priority 1 200
start all
expect leader 1 within 2s
run 10s
cut 1..2 - 3..5
run 90s
expect leaders 2
on 2 join 1..2 - 3..5
expect one group of 5 within 3400ms
expect leaders 1 within 1s

story families-two-lans
# Two LANs, each with both families: on each LAN beacons go by one of them. A LAN whose family dies costs
# nothing, as the other LAN goes on.
hosts 5
lans 2
families
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
run 10s
mark quiet
run 20s
expect sent AYCoord <= 250 since quiet
on 1 multicast all off
expect always leader 1 for 10s
on 3 multicast all off
expect always leader 1 for 10s
expect changes == 0 since quiet

story families-one-way
# Two parts. The second one hears the first by the spared family only, and is not heard: that is a broken
# link (F1), and reported.
hosts 5
families
seeds 1..5
set priority 1 200
start all
expect leader 1 within 2s
run 10s
cut 1..2 - 3..5
run 90s
expect leaders 2
on 2 join 1..2 > 3..5
run 20s
expect foreign 3 1 within 5s

story families-deaf-coordinator
# The coordinator hears nothing by the family in use. Each answer goes by the other one, and not by both.
hosts 5
families
seeds 1..5
set priority 1 200
set quorum all 3
start all
expect leader 1 within 2s
run 20s
on 1 cut all > 1
run 5s
mark m
run 60s
expect leader 1
expect sent AYThere_answer <= 1250 since m
