# SPDX-License-Identifier: Apache-2.0
# F16: a LAN that falls apart 20 times, for 1.5 s each, costs one new leader each time and no more, and has
# no two leaders longer than that.
hosts 6
seeds 1..5
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
flap 1 - 4 every 1500ms times 20
flap 1 - 5 every 1500ms times 20
flap 1 - 6 every 1500ms times 20
flap 2 - 4 every 1500ms times 20
flap 2 - 5 every 1500ms times 20
flap 2 - 6 every 1500ms times 20
flap 3 - 4 every 1500ms times 20
flap 3 - 5 every 1500ms times 20
flap 3 - 6 every 1500ms times 20
run 60s
expect in total made <= 100 since m
expect in total two-led-ms <= 130000 since m
expect led within 3 beacons
