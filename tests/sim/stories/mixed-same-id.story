# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.14: a clone that runs another election has the id of a host. That host reports
# duplicate-id as long as the clone is heard. No host reports that a member runs another election.
hosts 4
seeds 1..10
clone 3 of 1
algorithm bully 3
start 1 2 4
run 4s
start 3
run 70s
expect problem 1 duplicate-id
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
