# SPDX-License-Identifier: Apache-2.0
# 4.6: a leader wakes in the very moment in which it is succeeded to: a part of its group goes on with
# it, the rest does not. It does not lead again with less than half of those it led.
hosts 5
seeds 1..300
clocks 0
start all
expect led within 6 beacons
run 1s
mark m
stall leader 600200us when it sends AYCoord
run 3s
expect one group of 5
expect led
expect two-led-ms == 0 since m
