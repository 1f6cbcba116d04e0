# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.14, F11: a host that runs another election has led under a high counter when the hosts of
# invitation hear it first. Its Challenge_answer raises their counters: their next leader has a higher
# token.
hosts 4
seeds 1..20
algorithm bully 4
reserve 4 1000000
set priority 1 200
set priority 2 150
split 1..3 | 4
start all
run 4s
expect role 1 leader
expect role 4 leader
expect token of 4 > token of 1
heal
run 1s
expect problem 2 other-algorithm
crash 4
crash 1
expect leader 2 within 3s
expect token of 2 > token of 4
