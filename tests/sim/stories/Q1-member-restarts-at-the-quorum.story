# SPDX-License-Identifier: Apache-2.0
# Q1: the last member that the quorum needs comes back at once: what its former start answered
# still counts, and the leader leads on.
hosts 3
seeds 1..20
set quorum all 3
set priority 1 200
start all
expect leader 1 within 6 beacons
run 2s
mark m
crash 3
run 100ms
start 3
run 3s
expect made == 0 since m
expect leader 1
