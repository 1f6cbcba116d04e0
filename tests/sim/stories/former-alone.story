# SPDX-License-Identifier: Apache-2.0
# R1: two hosts are off; what they said in two sessions each comes again, five times a second, from
# before this one starts. It leads when it would have, and a beacon later at most, and tells of nothing.
hosts 3
seeds 1..40
set priority 2..3 200
start all
run 3s
crash 2 3
restart 2 3
run 2s
crash 1 2 3
former 5
start 1
expect leader 1 within 2s
expect no problem 1 broken-links
expect no problem 1 timings-differ
mark m
expect no change for 60s
former 100
mark n
run 60s
expect leader 1
expect sent Challenge <= 120 since n
expect sent Invitation == 0 since m
expect sent AYCoord_answer == 0 since m
expect sent Decline == 0 since m
