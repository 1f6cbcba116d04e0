# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: one member has a smaller dead_after than its leader: the smallest dead_after on the
# membership list decides, as the acknowledgements report it.
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
