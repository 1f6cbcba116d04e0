# SPDX-License-Identifier: Apache-2.0
# elections.md, bully: a member crashes and comes back: each is an election of all, with the same leader.
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
