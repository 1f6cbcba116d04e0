# SPDX-License-Identifier: Apache-2.0
# Slide 24: a member that does not answer AYNormal is an election of all without it; the role stays,
# and gets a new token.
algorithm bully
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 10 beacons
run 1s
mark m
crash 3
expect one group of 4 within 12 beacons
expect members 1 4
expect formed == 1 since m
expect made == 0 since m
