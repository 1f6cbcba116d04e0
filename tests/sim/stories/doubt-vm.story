# SPDX-License-Identifier: Apache-2.0
# 4.10, 4.6: a host that pauses as a whole looks dead: another leads. The first asks before anybody is
# told that it still leads, and stops when nobody answers.
hosts 5
seeds 1..100
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
stall --host 1 500ms when it sends AYCoord
expect leaders 2 within 800ms
expect asking 1 within 300ms
expect role 1 none within 62ms
run 1s
expect one group of 5
expect role 1 follower
expect led
