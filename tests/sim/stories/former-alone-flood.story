# SPDX-License-Identifier: Apache-2.0
# R1, R2: the same at 50 000 a second: 160 ms and a beacon later at most.
hosts 3
seeds 1..6
set priority 2..3 200
start all
run 3s
crash 2 3
restart 2 3
run 2s
crash 1 2 3
former 50000 to 1
start 1
expect leader 1 within 2100ms
mark m
run 2s
expect leader 1
expect sent Challenge <= 60 since m
