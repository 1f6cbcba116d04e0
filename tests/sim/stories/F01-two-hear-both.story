# SPDX-License-Identifier: Apache-2.0
# F1: 1 and 12 cannot hear each other, ten hosts hear both: both are told, by one of the ten, as
# long as it lives, and then by another.
hosts 12
set priority 1 200
set priority 12 150
cut 1 - 12
start all
run 9s
expect leaders 2
expect problem 1 broken-links
expect problem 12 broken-links
mark m
expect always problem 1 broken-links for 20s
expect problem 12 broken-links
expect sent AYCoord_answer <= 30 since m
join 1 - 12
expect one group of 12 within 40 beacons
