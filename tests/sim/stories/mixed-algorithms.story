# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.14: two hosts of the LAN run another election. The hosts of invitation report it, and
# elect as if these hosts did not exist, whatever their priority.
hosts 5
seeds 1..10
algorithm bully 4..5
set priority 4..5 200
start all
run 10s
expect same group 1 2
expect same group 1 3
expect no same group 1 4
expect no same group 1 5
expect no role 1 none
expect problem 1 other-algorithm
expect problem 2 other-algorithm
expect problem 3 other-algorithm
expect no change for 60s
expect problem 1 other-algorithm
expect problem 2 other-algorithm
expect problem 3 other-algorithm
stop 4
stop 5
expect one group of 3 within 1s
expect leaders 1
run 58s
expect problem 1 other-algorithm
run 4s
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
expect no problem 3 other-algorithm
