# SPDX-License-Identifier: Apache-2.0
# 4.13: patience has a bound: a host that paused often, and then dies, is replaced within a beacon, twice
# silence_ms and dead_after.
hosts 5
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
mark dies
crash 1
expect one group of 4 within 1300ms
expect led
expect elections == 1 since dies
