# SPDX-License-Identifier: Apache-2.0
# S002: a coordinator stays while it lives: who returns listens first, hears it and follows. Without, each
# return is an election.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
elect 1
run 200ms
expect leader 5
crash 2
run 2s
mark m
restart 2
expect elected 2 5 within 2 beacons
run 2s
expect elections == 0 since m
expect leader 5
