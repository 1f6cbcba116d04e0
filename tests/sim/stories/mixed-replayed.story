# SPDX-License-Identifier: Apache-2.0
# 4.14, S6: datagrams of another algorithm, of a former life of a host, change nothing: it is asked, and
# does not answer for them. Without the question a recording takes a leader's role for a minute.
hosts 3
seeds 1..10
algorithm bully 2..3
start 1
run 3s
crash 1
run 2s
algorithm bully 1
start 2..3
expect leaders 1 within 70s
run 5s
mark m
replay AYCoord from 1
run 100ms
replay Hello from 1
run 5s
expect made == 0 since m
expect leaders 1
expect no problem 2 algorithm-differs
expect no problem 3 algorithm-differs
