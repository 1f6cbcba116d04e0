# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.15: electd alone stalls on the leader's host, at any moment between two beacons. Its
# work has ended before another host begins to lead: the checker holds elect_until() against it. Fifty
# freezes.
hosts 5
seeds 1..25
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall leader 3s
expect two leaders since m within 2s
run 5s
expect one group of 5
mark n
stall leader 3s
expect two leaders since n within 2s
run 5s
expect one group of 5
