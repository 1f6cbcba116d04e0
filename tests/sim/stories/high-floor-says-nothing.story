# SPDX-License-Identifier: Apache-2.0
# 4.3: two new hosts invite a third whose floor is as high as their group, and whose Hello was lost: it
# declines, and is invited once more above its floor.
hosts 3
seeds 1..10
set priority 1 200
start 2
run 3s
crash 2
drop Hello from 2 count 100
delay Accept by 5ms from 3
start all
expect one group of 3 within 5 beacons
