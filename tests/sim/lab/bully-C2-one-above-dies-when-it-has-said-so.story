# SPDX-License-Identifier: Apache-2.0
# C2: the best one says that it is up, and dies. All those who were told so wait for it; without C2
# they wait for ever.
algorithm bully
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 when it sends AYUp_answer
crash 1
mark m
run 3s
expect state 2 off
expect one group of 2
expect led
expect made <= 1 since m
