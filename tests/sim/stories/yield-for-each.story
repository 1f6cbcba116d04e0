# SPDX-License-Identifier: Apache-2.0
# M7: 1 asks 4 to yield, and 4 dies. Soon after, 5 can be heard: it is asked as well and has its
# time, although 4's is over. So there is one merge, when 5's demotion has ended.
hosts 5
seeds 1..20
set priority 1 200
set yield_timeout all 300ms
hook all 100ms
split 1..3 | 4 | 5
start all
run 4s
expect leaders 3
hook 4 5s
mark m
split 1..4 | 5
run 280ms
crash 4
run 350ms
heal
expect one group of 4 within 20 beacons
run 2s
expect formed <= 1 since m
expect role 1 leader
