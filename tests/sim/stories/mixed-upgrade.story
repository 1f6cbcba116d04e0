# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.14: a host that ran another election is started with this one. The report of it ends when
# it is a member, not a minute later.
hosts 3
seeds 1..10
algorithm bully 3
start all
run 4s
expect problem 1 other-algorithm
stop 3
run 1s
algorithm invitation 3
start 3
run 3s
expect one group of 3
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
