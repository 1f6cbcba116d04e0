# SPDX-License-Identifier: Apache-2.0
# 4.11: a will of a group that is over says nothing, to nobody.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
hook 1 1500ms
start all
expect leader 1 within 5 beacons
run 2s
cut 1 > 2
cut 1 > 3
cut 1 > 4
cut 1 > 5
expect role 2 leader within 5 beacons
run 50ms
mark m
delay Goodbye by 300ms
kill 1
join 1 > 2
join 1 > 3
join 1 > 4
join 1 > 5
expect no change for 5s
expect leader 2
