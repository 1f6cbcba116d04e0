# SPDX-License-Identifier: Apache-2.0
# F16: a LAN that falls apart 20 times costs a new leader half of the times, and once it holds, all are
# together within the longest wait.
# F16, the ceiling: a LAN that falls apart every two seconds costs a merge for each of the first
# mends, then fewer, and once it holds all are together again within the longest wait.
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
expect in total made <= 65 since m
expect led within 30 beacons
