# SPDX-License-Identifier: Apache-2.0
# trust.md 4, algorithm.md 4.11: the leader's process is killed after each line of a roll-out, and
# just after its own step: its will is believed, and it is replaced as fast as ever.
hosts 5
seeds 1..20
start all over 500ms
expect led within 5s
run 1s
keys all receive-only 1
run 10ms
kill leader
expect led within 100ms
restart 1..5
expect one group of 5 within 5s
expect key 1 accepted within 1s
keys all permissive 1
run 10ms
kill leader
expect led within 100ms
restart 1..5
expect one group of 5 within 5s
expect key 0 unsent within 1s
keys all enforce 1
run 10ms
kill leader
expect led within 100ms
restart 1..5
expect one group of 5 within 5s
keys all enforce 1 2
expect key 2 accepted within 1s
keys 1 enforce 2 1
run 10ms
kill leader
expect led within 100ms
restart 1..5
expect one group of 5 within 5s
