# SPDX-License-Identifier: Apache-2.0
# 4.14, W1: somebody with the key speaks a stronger algorithm and goes away: who elects by the weaker one
# leads again as soon as after the death of a leader, while it is told for a minute.
hosts 3
seeds 1..10
algorithm bully 1..3
start all
expect led within 4s
expect one group of 3 within 2s
run 2s
insider AYCoord every 200ms
run 3s
expect leaders 0
insider off
expect leaders 1 within 2500ms
expect one group of 3
expect problem 1 algorithm-differs
