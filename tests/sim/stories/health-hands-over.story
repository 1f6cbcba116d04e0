# SPDX-License-Identifier: Apache-2.0
# 4.12: a leader whose service is sick hands over to the best that is well, and all know why.
hosts 3
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
report 1 pg well fall 3 rise 2
report 1 pg sick fall 3 rise 2
report 1 pg sick fall 3 rise 2
run 1s
expect leader 1
report 1 pg sick fall 3 rise 2
expect no role 1 leader within 20ms
expect reason 1 sick
expect led within 2 beacons
expect one group of 3 within 8 beacons
expect unfit 2 of 1 sick within 5 beacons
expect unfit 3 of 1 sick within 5 beacons
expect no two leaders since m
report 1 pg well
expect always no role 1 leader for 3s
expect made <= 1 since m
