# SPDX-License-Identifier: Apache-2.0
# R2: 50 000 a second at the leader: no member is lost, and who comes is in within a second.
hosts 5
seeds 1..4
set priority 1 200
start all
run 3s
crash 2 3 4 5
restart 2..5
expect one group of 5 within 2s
crash 5
run 3s
former 50000 to 1
expect no change for 3s
restart 5
expect one group of 5 within 1s
