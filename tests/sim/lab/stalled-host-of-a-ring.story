# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.4: who stood still adds its own lateness: it could not hear, and the coordinator was not
# silent for that. Without, each stall is an election.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
elect 1
run 200ms
expect leader 5
mark m
stall 2 2s
run 4s
expect elections == 0 since m
expect always leader 5 for 1s
