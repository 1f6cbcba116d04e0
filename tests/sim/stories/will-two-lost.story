# SPDX-License-Identifier: Apache-2.0
# 4.11: two words of a will in a row are lost: who waits has heard of the demotion within dead_after all
# the same, and does not lead beside it.
hosts 5
seeds 1..20
hook 1 2s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 100ms
drop Goodbye from 1 to 2 count 2
expect always leaders 0 for 1880ms
expect led within 30ms
expect leader 2
expect no two acting since m
