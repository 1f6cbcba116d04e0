# SPDX-License-Identifier: Apache-2.0
# The coordinator crashes: the next in succession leads, soon, in one group; everybody knows why.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
crash 1
expect leader 2 within 4 beacons
expect one group of 4 within 1 beacon
expect reason 2 coordinator-silent
expect reason 3 coordinator-silent
expect cause 3 1
expect formed == 1 since m
expect made == 1 since m
expect token of 2 > token of 1
expect election-datagrams <= 44 since m
run 3s
restart 1
expect one group of 5 within 8 beacons
expect leader 2
expect no change for 100 beacons
