# SPDX-License-Identifier: Apache-2.0
# 4.10: a kernel that never answers, or no more, cannot tell a stall from a death: dead_after decides
# alone, and that is told.
hosts 5
seeds 1..20
set priority 1 200
kernel 1 silent
start all
expect leader 1 within 6 beacons
run 5s
expect problem 2 kernel-silent
expect problem 5 kernel-silent
mark m
stall 1 350ms
expect no change for 1s
kernel 1 answers
run 61s
expect no problem 2 kernel-silent
kernel 1 silent
run 66s
expect problem 2 kernel-silent
mark n
stall 1 350ms
expect no change for 1s
expect elections == 0 since m
crash 1
run 340ms
expect elections == 0 since n
expect one group of 4 within 360ms
