# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: a leader that stalls for half of dead_after, at any moment between two beacons of
# the profile fast, keeps its work: the checker compares each step with elect_until(). 300 stalls:
# twenty seeds, five each of 100, 200 and 300 ms.
hosts 3
seeds 1..20
set priority 1 200
set beacon all 50ms
set silence all 75ms
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 100ms
run 1170ms
stall 1 200ms
run 1290ms
stall 1 300ms
run 1410ms
stall 1 100ms
run 1230ms
stall 1 200ms
run 1350ms
stall 1 300ms
run 1510ms
stall 1 100ms
run 1190ms
stall 1 200ms
run 1310ms
stall 1 300ms
run 1430ms
stall 1 100ms
run 1250ms
stall 1 200ms
run 1370ms
stall 1 300ms
run 1490ms
stall 1 100ms
run 1210ms
stall 1 200ms
run 1330ms
stall 1 300ms
run 2s
expect made == 0 since m
expect leader 1
