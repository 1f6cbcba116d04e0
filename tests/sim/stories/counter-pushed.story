# SPDX-License-Identifier: Apache-2.0
# C1: somebody with the key, who answers Challenges, pushes the counter for a minute. No group
# changes and no leader is lost by it; a leader that dies meanwhile is replaced as ever; a host that
# was off joins within the length of the push.
hosts 6
seeds 1..3
clocks 100
start 1..5
expect led within 8 beacons
run 2s
mark m
insider Hello every 500us
run 1s
expect problem leader counter-pushed
run 29s
expect changes == 0 since m
expect writes <= 60 a host since m
crash leader
expect one group of 4 within 6 beacons
expect led within 1 beacon
expect problem leader counter-pushed
run 29s
expect led
expect writes <= 120 a host since m
insider off
start 6
expect one group of 5 within 62s
expect led
crash 6
run 100ms
restart 6
expect one group of 5 within 8 beacons
mark n
run 3s
crash leader
expect one group of 4 within 6 beacons
