# SPDX-License-Identifier: Apache-2.0
# elections.md, omega-recovery: who comes and goes has lived more often than who stays, and leads no more.
algorithm omega-recovery
hosts 5
seeds 1..10
start all
run 3s
expect leader 1
crash 1
expect leader 2 within 10 beacons
run 2s
mark m
restart 1
expect always leader 2 for 3s
crash 1
run 3s
restart 1
run 3s
crash 1
run 3s
restart 1
run 3s
crash 1
run 3s
restart 1
run 3s
crash 1
run 3s
restart 1
run 3s
expect leader 2
expect led
expect elected 1 2
expect in total made == 0 since m
