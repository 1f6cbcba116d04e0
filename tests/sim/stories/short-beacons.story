# SPDX-License-Identifier: Apache-2.0
#
# Short beacons: the protocol with beacons of 10 ms or 50 ms (algorithm.md, Constants).

story short-beacons-back-off
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

story short-beacons-crash
# Beacons of 10 ms: the third in succession leads as soon, in beacons, as with 200 ms.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
set beacon all 10ms
set dead_after all 30ms
set start_hold all 30ms
set lone_hold all 60ms
start all
expect leader 1 within 5 beacons
run 1s
crash 1 2
expect led within 80ms

story short-beacons-loss
# Beacons of 10 ms and dead_after 30 ms, under loss: probes fit in between, and a host that is lost
# nevertheless is found again at once, not after a back-off of seconds.
hosts 5
seeds 1..10
set beacon all 10ms
set dead_after all 30ms
set start_hold all 30ms
set lone_hold all 60ms
start all
expect led within 5 beacons
run 1s
loss 50
mark m
run 30s
expect in total elections <= 2 since m
expect in total made <= 1 since m
expect in total two-led-ms <= 100 since m
loss 200
mark n
run 30s
expect in total two-led-ms <= 1500 since n

story short-beacons-repeats
# F19: beacons of 10 ms: a lost Invitation or list is repeated before the next beacon.
hosts 5
seeds 1..20
set beacon all 10ms
set dead_after all 30ms
set start_hold all 30ms
set lone_hold all 60ms
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
drop Invitation from 2 count 4
drop Ready from 2 count 4
crash 1
expect led within 60ms

story short-beacons-split
# Beacons of 10 ms: waits for silent hosts, better hosts or disks last as many beacons as with 200 ms.
hosts 5
seeds 1..20
set beacon all 10ms
set dead_after all 30ms
set start_hold all 30ms
set lone_hold all 60ms
set priority 1 200
start all
expect leader 1 within 55ms
run 1s
split 1 2 | 3 4 5
expect leaders 2 within 60ms
run 1s
heal
expect led within 40ms
