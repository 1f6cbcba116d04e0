# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.14, S6: messages of another election from an unverified session: its sender answers no
# Challenge, or recordings are played. No host reports them, and each host sends at most one Challenge
# per beacon interval for all of them.
seeds 1..5
hosts 4
start all
expect led within 4s
expect one group of 4
run 2s
mark before
insider AYNormal silent every 50ms
expect always no problem 1 other-algorithm for 20s
expect no problem 2 other-algorithm
expect sent Challenge <= 101 a host since before
expect sent Challenge >= 90 a host since before
expect formed == 0 since before
expect changes == 0 since before
