# SPDX-License-Identifier: Apache-2.0
# M8: the successor dies after its Invitation; who accepted goes on over the last list.
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
crash 2 when it sends Invitation
crash 1
mark m
run 2s
expect led
expect one group of 4 within 10 beacons
expect formed <= 2 since m
expect made <= 1 since m
