# SPDX-License-Identifier: Apache-2.0
# 4.11: a will is on the LAN when its session is over, and says nothing of the next one: to a host
# that leads again, to one that has just started, in an election.
hosts 4
seeds 1..10
set priority 1 200
set priority 4 50
hook 1 700ms
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect led within 5 beacons
restart 1
expect one group of 4 within 10 beacons
resign leader
expect led within 2s
run 2s
mark m
replay Goodbye from 1
run 1s
expect elections == 0 since m
expect made == 0 since m
crash 4
run 3s
restart 4
replay Goodbye from 1 to 4
expect one group of 4 within 8 beacons
crash leader
run 610ms
replay Goodbye from 1
expect led within 2 beacons
