# SPDX-License-Identifier: Apache-2.0
# R3: who is off had other timings, and another mind about preempt. Nobody tells of it.
hosts 4
seeds 1..10
set beacon 3..4 100ms
set preempt 3..4 on
set priority 3..4 200
start 3..4
run 3s
crash 3 4
run 1s
former 50
start 1..2
run 10s
expect one group of 2
expect no problem 1 timings-differ
expect no problem 2 timings-differ
expect no problem 1 preempt-differs
expect no problem 2 preempt-differs
expect no problem 1 broken-links
expect no problem 2 broken-links
