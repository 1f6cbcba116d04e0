# SPDX-License-Identifier: Apache-2.0
# 4.12: what runs on the leader only fails on each host in turn: each hands over once, then nobody
# leads, and when the first bar is over that host tries again.
hosts 3
set sick_bar all 5s
promotion all 100ms
start all
expect led within 10 beacons
run 1s
mark m
report leader unit sick leading
run 1s
expect led
expect made == 1 since m
report leader unit sick leading
run 1s
expect led
expect made == 2 since m
report leader unit sick leading
run 100ms
expect leaders 0
expect always leaders 0 for 1s
run 3s
expect made == 3 since m
expect no two leaders since m
expect always no sick 1 for 100ms
run 20s
expect made == 3 since m
expect led
