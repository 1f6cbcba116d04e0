# SPDX-License-Identifier: Apache-2.0
# 4.8: beacons of 10 ms, a death after 30, under loss: probes fit in between, and who is lost all the same
# is found again at once, not after a back-off of seconds.
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
