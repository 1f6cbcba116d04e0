# SPDX-License-Identifier: Apache-2.0
# What is not proven lifts no counter: somebody who answers no Challenge pushes, and a host whose
# disk is far behind joins at once.
hosts 4
seeds 1..3
start 1..3
expect led within 8 beacons
run 1s
mark m
insider Hello silent every 1ms
run 5s
insider AYCoord silent every 1ms
run 5s
insider Invitation silent every 1ms
run 5s
insider off
expect changes == 0 since m
expect no problem leader counter-pushed
run 2s
crash leader
expect one group of 2 within 6 beacons
start 4
expect one group of 3 within 8 beacons
