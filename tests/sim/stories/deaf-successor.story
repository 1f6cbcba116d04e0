# SPDX-License-Identifier: Apache-2.0
# M10: the first in succession is heard by one of four others only: it does not lead at once.
hosts 6
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
cut 2 - 4
cut 2 - 5
cut 2 - 6
crash 1
expect always no role 2 leader for 1400ms
