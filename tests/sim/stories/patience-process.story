# SPDX-License-Identifier: Apache-2.0
# 4.13: a leader whose process stands still for 700 ms each 3 s, with preempt, is taken for dead twice and
# then given the time; without patience others lead each of the 20 times. `succeeded`: there and back.
hosts 5
seeds 1..50
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
expect succeeded <= 4 since m
expect leader 1
