# SPDX-License-Identifier: Apache-2.0
# 4.6, 4.10: a leader that stood still, with its kernel or without, just long enough to be replaced or
# for seconds, asks before it says that it leads: the checker sees to it, here and in every run.
hosts 5
seeds 1..100
start all
expect led within 6 beacons
run 1s
stall --host leader 430ms
run 2s
expect led
stall --host leader 580ms when it sends AYCoord
run 2s
expect led
stall --host leader 1s
run 3s
expect led
stall --host leader 3s
run 6s
expect led
stall leader 460ms
run 2s
expect led
stall leader 590ms when it sends AYCoord
run 2s
expect led
stall leader 800ms
run 3s
expect led
