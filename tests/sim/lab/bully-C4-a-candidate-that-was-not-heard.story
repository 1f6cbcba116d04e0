# SPDX-License-Identifier: Apache-2.0
# C4: a host hears nothing of its coordinator, and nobody its question. Those above tell it so when
# it calls them; else it forms a group of its own.
algorithm bully
hosts 3
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
mark m
drop AYNormal from 1 to 3 count 100
drop AYUp from 3 count 100
run 1100ms
expect formed == 0 since m
clear
run 3s
expect one group of 3
