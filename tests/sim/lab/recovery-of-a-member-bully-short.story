# SPDX-License-Identifier: Apache-2.0
# elections.md, bully-short: a member that comes back starts an election: the same host wins it anew.
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
