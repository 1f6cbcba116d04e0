# SPDX-License-Identifier: Apache-2.0
# A coordinator comes back without its state file: it says so, uses no group id twice (asserted) and
# joins what is there.
hosts 3
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
crash 1
lose-state 1
run 1s
restart 1
expect problem 1 state-lost within 1 beacon
expect one group of 3 within 10 beacons
expect no role 1 leader
run 1s
crash 2 3
expect leader 1 within 15 beacons
crash 1
lose-state 1
restart 1
expect leader 1 within 15 beacons
