# SPDX-License-Identifier: Apache-2.0
#
# Splits: a LAN falls apart and heals, once or again and again.

story F16-back-off
# F16: a peer that never comes is not invited every beacon, and when it can come it is waited for no
# longer than 5 s. (Priority 0: no host has to yield first.)
hosts 4
seeds 1..10
set priority all 0
split 1 2 | 3 4
start all
run 4s
drop Invitation count 100000
heal
mark m
run 40s
expect elections <= 15 since m
clear
expect agree within 27 beacons

story flapping-halves
# F16: a LAN that falls apart 20 times, for 1.5 s each, costs one new leader each time and no more, and
# has two leaders no longer than that.
hosts 6
seeds 1..5
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
flap 1 - 4 every 1500ms times 20
flap 1 - 5 every 1500ms times 20
flap 1 - 6 every 1500ms times 20
flap 2 - 4 every 1500ms times 20
flap 2 - 5 every 1500ms times 20
flap 2 - 6 every 1500ms times 20
flap 3 - 4 every 1500ms times 20
flap 3 - 5 every 1500ms times 20
flap 3 - 6 every 1500ms times 20
run 60s
expect in total made <= 100 since m
expect in total two-led-ms <= 130000 since m
expect led within 3 beacons

story quick-splits
# F16: the tenth of several quick splits is healed as soon as the first.
hosts 5
seeds 1..20
start all
expect led within 5 beacons
run 2s
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
expect led within 2 beacons

story split-2-3-heals
# 5 hosts split into 2 and 3: each side leads; when it heals there is one merge and no new leader.
hosts 5
seeds 1..20
start all
expect led within 5 beacons
run 1s
split 1 2 | 3 4 5
run 4s
expect groups 2
expect leaders 2
mark m
heal
expect led within 3 beacons
expect one group of 5
expect formed <= 1 since m
expect made == 0 since m
expect no change for 100 beacons
