# SPDX-License-Identifier: Apache-2.0
# elections.md, bully-short: the best host comes back and starts an election at once: it leads. It has
# lost the number of the last one: that is told to it, and it begins anew above it.
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
