# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.14, F11: a host that runs another election begins to lead after the hosts of invitation have
# verified its session, and its token rises while it is cut off. They hear each counter by a
# Challenge_answer: their next leader has a higher token.
hosts 4
seeds 1..20
algorithm bully 4
reserve 4 1000000
set priority 1 200
set priority 2 150
start 1..3
run 2s
expect leader 1
start 4
expect leaders 2 within 5s
split 1..3 | 4
resign 4 for 1s
run 3s
expect role 4 leader
heal
run 1s
expect problem 2 other-algorithm
crash 4
crash 1
expect leader 2 within 3s
expect token of 2 > token of 4
