# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: one of two hosts leads and stalls; the other one has a smaller dead_after.
hosts 2
seeds 1..40
set priority 1 200
set dead_after 2 420ms
start all
expect leader 1 within 5s
run 1s
mark m
stall 1 6s
expect two leaders since m within 5s
run 8s
expect one group of 2 within 5s
