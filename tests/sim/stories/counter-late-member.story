# SPDX-License-Identifier: Apache-2.0
# A host that was off while the counter was pushed joins the old group at once, though its own
# counter is far behind. When the leader dies it follows the successor once it has caught up, and
# does not lead beside it before.
hosts 4
seeds 1..3
clocks 100
set priority 4 50
start 1..3
expect led within 8 beacons
run 1s
insider Hello every 1ms
run 60s
insider off
start 4
expect one group of 4 within 6 beacons
run 1s
mark m
crash leader
expect leaders 1 within 12 beacons
run 5s
expect leaders 1
expect state 4 down
expect agree within 62s
expect no two leaders since m
