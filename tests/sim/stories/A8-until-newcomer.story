# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: a host with a smaller dead_after joins, and the leader stalls in the step in which
# it lists the newcomer. From then on the work of the leader ends by the smaller one.
hosts 4
seeds 1..40
set priority 1 200
set dead_after 4 420ms
set silence all 0ms
start 1..3
expect leader 1 within 5s
run 1s
mark m
start 4
stall 1 3s when it sends Ready
expect two leaders since m within 3s
run 5s
expect one group of 4 within 5s
