# SPDX-License-Identifier: Apache-2.0
# A member that restarts after a push is back as ever, also in a group formed meanwhile: what its own
# disk has reserved it need not catch up with.
hosts 5
seeds 1..3
clocks 100
set priority 5 50
start all
expect led within 8 beacons
run 1s
insider Hello every 1ms
run 60s
insider off
crash 5
run 1s
crash leader
expect one group of 3 within 6 beacons
start 5
expect one group of 4 within 8 beacons
