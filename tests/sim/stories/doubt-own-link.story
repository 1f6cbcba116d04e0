# SPDX-License-Identifier: Apache-2.0
# 4.10: the first in succession is cut off: nobody answers it, so it suspects its own link, and leaves
# alone, at dead_after.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
run 1s
mark m
cut 2 - 1
cut 2 - 3
cut 2 - 4
cut 2 - 5
run 355ms
expect elections == 0 since m
run 400ms
expect elections == 1 since m
expect leader 1
expect no role 3 leader
expect same group 1 3 4 5
