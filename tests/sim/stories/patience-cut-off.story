# SPDX-License-Identifier: Apache-2.0
# 4.13: who was cut off for a moment, and did not stand still, was not wronged: the LAN lost what it said. It is
# succeeded to as soon as ever, each time, and when it dies.
hosts 5
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
mark dies
crash 1
expect one group of 4 within 500ms
expect led
expect elections == 1 since dies
