# SPDX-License-Identifier: Apache-2.0
# 3, Peers: the group reaches a host for a while, in which it leads, and not any more when it follows.
# An insider that sends by the group in its name does the same. Without the rule the leader's beacons never
# reach that host again, and it probes the leader in each beacon interval.
hosts 3
seeds 1..20
set preempt all on
set priority 1 200
set priority 2 150
multicast 2 off
peers 2 1
start all
expect leader 1 within 40 beacons
expect one group of 3 within 30 beacons
run 2s
multicast 2 on
hold 1 on
expect leader 2 within 20 beacons
run 2s
hold 1 off
expect leader 1 within 40 beacons
expect one group of 3 within 20 beacons
run 2s
multicast 2 off
mark off
run 10s
expect one group of 3
expect leader 1
expect sent AYThere < 70 since off
crash 1
expect led within 12 beacons
