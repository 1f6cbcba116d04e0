# SPDX-License-Identifier: Apache-2.0
# M13: 3 was dropped, is back, and then hears once more that it is not in the list: that answer is older
# than its admission.
hosts 3
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
cut 3 > 1
drop Ready to 3 count 2
expect members 1 2 within 15 beacons
delay AYThere_answer by 1s to 3 count 1
join 3 > 1
expect one group of 3 within 10 beacons
run 200ms
expect no change for 4s
