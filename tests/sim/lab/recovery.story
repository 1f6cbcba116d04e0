# SPDX-License-Identifier: Apache-2.0
#
# Recovery: a member or the best host returns; each algorithm in turn (elections.md).

story recovery-of-a-member-bully
# bully: a member crashes and returns: an election of all each time, with the same leader.
algorithm bully
hosts 5
seeds 1..10
set priority 5 200
start all
expect leader 5 within 2s
run 2s
mark m
crash 2
run 4s
restart 2
run 5s
expect leader 5
expect one group of 5
expect in total formed >= 20 since m

story recovery-of-a-member-bully-short
# bully-short: a member that returns starts an election: the same host wins it anew.
algorithm bully-short
hosts 5
seeds 1..10
start all
expect leader 5 within 6 beacons
run 2s
mark m
crash 2
run 4s
expect in total elections == 0 since m
restart 2
run 5s
expect led
expect leader 5
expect in total elections >= 10 since m

story recovery-of-a-member-chang-roberts
# S002: a coordinator stays while it lives: a host that returns listens first, hears it and follows.
# Otherwise each return would be an election.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
elect 1
run 200ms
expect leader 5
crash 2
run 2s
mark m
restart 2
expect elected 2 5 within 2 beacons
run 2s
expect elections == 0 since m
expect leader 5

story recovery-of-a-member-invitation
# invitation: a member crashes and returns: it joins, and the leader leads on.
algorithm invitation
hosts 5
seeds 1..10
set priority 5 200
start all
expect leader 5 within 6 beacons
run 2s
mark m
crash 2
run 4s
restart 2
run 5s
expect one group of 5
expect always leader 5 for 1s
expect in total formed == 0 since m
expect in total made == 0 since m

story recovery-of-the-best-bully
# bully: the best host crashes and returns: it leads again, by an election of all.
algorithm bully
hosts 5
seeds 1..10
set priority 5 200
set priority 4 150
start all
expect leader 5 within 2s
run 2s
crash 5
expect leader 4 within 2s
run 2s
mark m
restart 5
expect leader 5 within 3s
expect one group of 5 within 1s
run 5s
expect leader 5
expect in total made == 10 since m

story recovery-of-the-best-bully-short
# bully-short: the best host returns and starts an election at once: it leads. It has lost the number of
# the last election, learns it from the others, and begins anew above it.
algorithm bully-short
hosts 5
seeds 1..10
start all
expect leader 5 within 6 beacons
run 2s
crash 5
expect leader 4 within 8 beacons
run 2s
mark m
restart 5
expect leader 5 within 1 beacon
expect led within 1 beacon
expect elected 1 5
run 5s
expect leader 5
expect in total made <= 20 since m

story recovery-of-the-best-invitation
# invitation: the best host crashes and returns: it joins, and no group is formed.
algorithm invitation
hosts 5
seeds 1..10
set priority 5 200
set priority 4 150
start all
expect leader 5 within 6 beacons
run 2s
crash 5
expect leader 4 within 6 beacons
run 2s
mark m
restart 5
run 5s
expect one group of 5
expect leader 4
expect in total formed == 0 since m
expect in total made == 0 since m
