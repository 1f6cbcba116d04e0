# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: one member takes its coordinator for dead sooner than that one knows by itself:
# the shortest dead_after of those on the list counts, as its beacons said it when it coordinated.
hosts 4
seeds 1..20
set priority 1 200
set dead_after 3 420ms
set silence all 0ms
set preempt all on
start 3
run 3s
start all
expect leader 1 within 5s
run 1s
mark m
stall 1 3s
expect two leaders since m within 2s
run 5s
expect one group of 4 within 5s
