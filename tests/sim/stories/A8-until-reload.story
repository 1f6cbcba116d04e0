# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: a reload makes dead_after of one member shorter, and its leader stalls before it
# has learned that, or just after. The member goes on with the longer one until the leader has
# answered.
hosts 4
seeds 1..40
set priority 1 200
set silence all 0ms
start all
expect leader 1 within 5s
run 1s
mark m
stall 1 3s when it sends AYCoord
run 190ms
set dead_after 3 420ms
expect two leaders since m within 2s
run 5s
expect one group of 4 within 5s
