# SPDX-License-Identifier: Apache-2.0
# C1: nothing on the slides makes those act who are asked whether they are up. One below has missed
# beacons, and asks sooner; without C1 all wait for the suspicion of the one above.
algorithm bully
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
drop AYNormal from 1 to 3
drop AYNormal from 1 to 4
crash 1 when it sends AYNormal
expect state 1 off within 2 beacons
expect leader 2 within 640ms
