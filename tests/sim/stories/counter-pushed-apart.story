# SPDX-License-Identifier: Apache-2.0
# New hosts, whose first numbers are as far apart as those of real ones. While the counter is pushed a
# leader dies: who succeeds to it is within reach of the others, however high its own number was.
hosts 4
seeds 1..3
clocks 100
reserve 1 new 20000
reserve 2 new 400000
reserve 3 new 1000000
reserve 4 new 700000
start all
expect led within 8 beacons
run 2s
insider Hello every 500us
run 10s
crash leader
expect one group of 3 within 6 beacons
expect led within 1 beacon
insider off
