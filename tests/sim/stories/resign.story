# SPDX-License-Identifier: Apache-2.0
# The leader resigns: another leads at once, and the one that resigned follows and does not lead for
# the time asked.
hosts 4
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
mark m
resign 1 for 3s
expect leader 2 within 1 beacon
expect reason 2 coordinator-resigned
expect one group of 4 within 8 beacons
expect role 1 follower
crash 2
expect led within 6 beacons
expect no role 1 leader
expect no two leaders since m
