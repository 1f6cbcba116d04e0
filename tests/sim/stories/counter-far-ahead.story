# SPDX-License-Identifier: Apache-2.0
# A host comes with a counter above the others' by more than their buckets hold: it joins the group
# there is. A group it forms later is caught up with, and nobody leads beside it meanwhile.
hosts 4
seeds 1..40
clocks 100
reserve 3 3000000
set priority 3 200
start 1 2 4
expect led within 5 beacons
run 1s
start 3
expect one group of 4 within 8 beacons
run 1s
mark m
stop leader
expect leader 3 within 12 beacons
run 10s
expect leader 3
expect no two leaders since m
expect one group of 3 within 6s
expect no two leaders since m
