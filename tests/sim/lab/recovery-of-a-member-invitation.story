# SPDX-License-Identifier: Apache-2.0
# elections.md, invitation: a member crashes and comes back: it joins, and the leader leads on.
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
