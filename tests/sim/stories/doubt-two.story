# SPDX-License-Identifier: Apache-2.0
# 4.10: of two hosts nobody else can be asked: a cut looks as a dead host does, and dead_after decides.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
cut 1 - 2
run 355ms
expect groups 1
expect groups 2 within 300ms
