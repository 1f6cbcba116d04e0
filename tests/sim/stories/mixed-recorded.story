# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.14, S6: recordings of a host that ran another election. The host is reported until 60 s
# after its last message, however often its messages are played again; a host that starts after that
# never reports it.
hosts 4
seeds 1..10
algorithm bully 4
start 1 2 4
run 4s
expect problem 1 other-algorithm
crash 4
run 55s
expect problem 1 other-algorithm
expect problem 2 other-algorithm
replay AYNormal from 4
run 1s
replay AYNormal from 4
run 5s
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
start 3
mark m
former 50
expect always no problem 3 other-algorithm for 10s
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
expect one group of 3
