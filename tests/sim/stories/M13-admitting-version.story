# SPDX-License-Identifier: Apache-2.0
# M13: an older list, without the newcomer, reaches it after the one that admitted it: it stays.
hosts 5
seeds 1..10
set priority 1 200
start 1..4
expect leader 1 within 5 beacons
run 2s
delay Ready by 1s to 5 count 2
stop 4
run 300ms
start 5
expect one group of 4 within 4 beacons
mark m
run 2s
expect elections == 0 since m
expect one group of 4
expect regroupings == 0 since m
