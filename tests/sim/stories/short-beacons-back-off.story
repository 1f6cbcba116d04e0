# SPDX-License-Identifier: Apache-2.0
# F16: with beacons of 50 ms the longest back-off is 1.25 s.
hosts 4
seeds 1..10
set beacon all 50ms
set priority all 0
split 1 2 | 3 4
start all
run 4s
drop Invitation count 100000
heal
mark m
run 40s
expect elections <= 50 since m
clear
expect agree within 1400ms
