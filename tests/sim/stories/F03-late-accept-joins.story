# SPDX-License-Identifier: Apache-2.0
# F3: one Accept comes when the window is over: it is a Join of the same group, which is not formed
# again.
hosts 4
seeds 1..20
set priority 1 200
start all
expect led within 10 beacons
run 2s
mark m
stop 1
delay Accept by 150ms from 4 count 20
expect led within 3 beacons
run 2s
expect formed == 1 since m
expect made == 1 since m
expect one group of 3
