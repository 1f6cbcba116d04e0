# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.6: who resigns hands over to the host that people name, not to the first in
# succession; to that one if the other is gone when the demotion is over.
hosts 5
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
mark m
resign 1 to 4 for 60s
expect leader 4 within 1 beacon
expect reason 4 coordinator-resigned
expect one group of 5 within 8 beacons
expect no two leaders since m
expect no ever led 2

# Its demotion takes a while, and who was to lead does not live to see its end.
hook 4 2s
resign 4 to 3 for 3s
run 1s
expect leader 4
crash 3
expect leader 2 within 2s
expect no ever led 3

# The wish is not kept for another time.
hook all 10ms
run 3s
start 3
expect one group of 5 within 3s
resign 2 to 4 for 60s
expect leader 4 within 1 beacon
run 1s
hold 4 on
expect leader 5 within 1 beacon
