# SPDX-License-Identifier: Apache-2.0
# F12: the side with the lower counter wins a merge and must not hand the others a lower token.
hosts 6
seeds 1..10
set priority 4..6 150
set quorum all 1
start all
expect led within 5 beacons
run 1s
split 1 2 | 3 4 5 6
run 4s
stop 1
run 2s
stop 2
restart 1
run 4s
restart 2
run 2s
heal
expect led within 20 beacons
expect no change for 20 beacons
