# SPDX-License-Identifier: Apache-2.0
# trust.md 3, W3: h2 coordinated while all waited for the demotion of h1, and follows now. What it said
# then reaches h5, which was started since and knows its session from the list alone: h5 does not
# believe it, and leads at once when it is its turn.
hosts 5
seeds 1..20
hook 1 6s
set priority 1 200
set priority 2 150
set preempt 1..5 on
start 1..4
expect leader 1 within 3s
expect one group of 4 within 3s
run 2s
kill 1
run 1s
priority 3 250
run 8s
expect leader 3
run 5s
set priority 5 220
start 5
expect one group of 4 within 1s
run 2s
crash 3
run 100ms
replay AYCoord from 2 to 5
expect leader 5 within 450ms
