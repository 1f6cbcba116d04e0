# SPDX-License-Identifier: Apache-2.0
# C6: host 3 halts for its leader, and then for one above that, which its leader cannot hear. As
# the slide has it it says yes to both, and is counted by one whom it does not follow.
algorithm bully
hosts 5
seeds 1..10
set priority 1 150
set priority 2 200
cut 1 - 2
cut 2 - 4..5
start 1 3 5
expect leader 1 within 8 beacons
expect members 1 3
run 2s
start 2
run 430ms
start 4           # 1 begins an election for it, which lasts: 5 is not heard any more
cut 5 > 1
delay SetCoord by 80ms from 1 to 3 count 9
expect members 1 2 within 700ms
expect same group 2 3 within 3 beacons
