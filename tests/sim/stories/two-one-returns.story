# SPDX-License-Identifier: Apache-2.0
# One of two hosts is away for a while, by its link; who stayed leads on.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
cut 1 - 2
run 5s
expect leaders 2
mark m
join 1 - 2
expect led within 5 beacons
expect one group of 2
expect made == 0 since m
