# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.14, W1: an insider with a verified session sends messages of another election. All hosts
# report it until 60 s after the last message; no group and no leader changes.
seeds 1..5
hosts 4
start all
expect led within 4s
expect one group of 4
run 2s
mark before
insider AYNormal every 200ms
run 3s
expect problem 1 other-algorithm
expect problem 2 other-algorithm
expect problem 3 other-algorithm
expect problem 4 other-algorithm
expect no problem 1 counter-pushed
insider off
run 58s
expect problem 1 other-algorithm
expect problem 4 other-algorithm
run 3s
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
expect no problem 3 other-algorithm
expect no problem 4 other-algorithm
expect formed == 0 since before
expect made == 0 since before
expect changes == 0 since before
expect leaders 1
