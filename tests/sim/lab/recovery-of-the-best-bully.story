# SPDX-License-Identifier: Apache-2.0
# elections.md, bully: the best host crashes and comes back: it leads again, in an election of all.
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
