# SPDX-License-Identifier: Apache-2.0
# C8: host 3 halts for its leader, which holds an election, and then for one above that, which its
# leader cannot hear. It says whom it leaves, though it is no member then: else there are two leaders
# at once.
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
run 400ms
expect same group 2 3 within 3 beacons
expect leader 1
run 300ms
expect leader 1
