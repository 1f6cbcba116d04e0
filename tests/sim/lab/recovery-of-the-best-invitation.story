# SPDX-License-Identifier: Apache-2.0
# elections.md, invitation: the best host crashes and comes back: it joins, and nothing forms anew.
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
