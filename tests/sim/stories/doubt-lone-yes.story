# SPDX-License-Identifier: Apache-2.0
# 4.10: one member alone still hears the coordinator: nobody declares that dead early.
hosts 5
seeds 1..20
set priority 1 200
set priority 5 10
start all
expect leader 1 within 6 beacons
run 1s
mark m
cut 1 > 2
cut 1 > 3
cut 1 > 4
run 355ms
expect elections == 0 since m
expect role 1 leader
expect same group 1 2 3 4 5
