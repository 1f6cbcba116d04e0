# SPDX-License-Identifier: Apache-2.0
# 4.4: without early doubt, dead_after alone says that a coordinator is gone, and the first two ask before.
hosts 5
seeds 1..20
set silence all 0ms
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
drop AYCoord from 1 to 2 count 4
expect no change for 3s
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
expect election-datagrams <= 23 since m
