# SPDX-License-Identifier: Apache-2.0
# 4.3: the Invitation of the first successor is late, the second has begun too: the first one of the
# list wins, and one group is formed.
hosts 6
seeds 1..20
set priority 1 200
set priority 2 150
set priority 3 140
start all
expect leader 1 within 5 beacons
run 2s
delay Invitation by 70ms from 2 count 60
mark m
crash 1
run 3s
expect led
expect leader 2
expect in total formed <= 22 since m
