# SPDX-License-Identifier: Apache-2.0
# M3: the next in succession does not hear its coordinator. The others do, and so does the coordinator
# hear it: nobody follows.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
cut 1 > 2
expect always role 1 leader for 10s
expect same group 1 3 4 5
join 1 > 2
expect one group of 5 within 40 beacons
expect leader 1
