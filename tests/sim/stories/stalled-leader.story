# SPDX-License-Identifier: Apache-2.0
# A leader stands still for longer than dead_after: when it runs again another leads, and it has not
# led for one step (asserted by the checker).
hosts 4
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
stall 1 1500ms
run 1s
expect role 2 leader
run 700ms
expect leader 2 within 5 beacons
expect one group of 4 within 10 beacons
expect role 1 follower
