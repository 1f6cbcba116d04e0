# SPDX-License-Identifier: Apache-2.0
# The link between two hosts flaps faster than the other one may call itself alone: nothing
# changes hands.
hosts 2
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
flap 1 - 2 every 500ms times 20
expect always role 1 leader for 20s
expect one group of 2 within 10 beacons
expect made == 0 since m
