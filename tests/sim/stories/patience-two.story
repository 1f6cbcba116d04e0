# SPDX-License-Identifier: Apache-2.0
# 4.13: of two hosts the other forms a group of its own, which is a false alarm, too, though it leads only after
# lone_hold; six are the most. The last one that dies is succeeded to after three dead_after. A leader
# that is waited for forms its group anew when it leads again, for another token (S5).
hosts 2
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1750ms
run 5s
stall 1 1750ms
run 5s
stall 1 1750ms
run 5s
mark patient
stall 1 1500ms
run 5s
stall 1 1500ms
run 5s
stall 1 1500ms
run 5s
expect formed == 3 since patient
crash 1
run 1500ms
expect no leader 2
expect leader 2 within 1900ms
