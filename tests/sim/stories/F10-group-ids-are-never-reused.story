# SPDX-License-Identifier: Apache-2.0
# F10: the coordinator crashes again and again and its disk loses the last write; no group is formed
# twice (S3 is asserted all the time).
hosts 3
seeds 1..20
set priority 1 255
start all
expect led within 5 beacons
run 700ms
crash 1 losing write
run 50ms
restart 1
run 2s
crash 1 losing write
restart 1
run 30ms
crash 1 losing write
run 3s
restart 1
expect led within 15 beacons
crash 2 3
run 3s
expect leader 1
crash 1 losing write
run 10ms
restart 1 2 3
expect led within 15 beacons
