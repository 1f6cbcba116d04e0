# SPDX-License-Identifier: Apache-2.0
# 4.13: the same of a host that pauses as a whole: its kernel is silent, too, so silence_ms grows, 50 ms the
# first time and twice as much each further one: others lead four times of 20.
hosts 5
seeds 1..50
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
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
expect succeeded <= 8 since m
expect leader 1
