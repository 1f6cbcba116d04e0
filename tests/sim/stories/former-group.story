# SPDX-License-Identifier: Apache-2.0
# R2, R4: former sessions of its members and of others, at a group that lives: no member is lost,
# nobody is invited again and again, and who comes is in at once. (Of the session that was proven last,
# each datagram it said before its proof may pass once: a Join that nobody answers, five repeats.)
hosts 6
seeds 1..12
set priority 1 200
start all
run 3s
crash 2 3 4 5 6
restart 2..6
expect one group of 6 within 2s
crash 1
run 2s
restart 1
expect one group of 6 within 2s
crash 6
run 3s
former 5
mark m
expect no change for 20s
expect sent Invitation <= 20 since m
former 2000
expect no change for 5s
expect sent Invitation <= 20 since m
restart 6
expect one group of 6 within 1s
crash 6
run 3s
expect one group of 5
former 5
restart 6
expect one group of 6 within 600ms
