# SPDX-License-Identifier: Apache-2.0
# Loss comes to 30 % and goes: in the end there is one group and it stays.
hosts 8
seeds 1..10
loss 300
start all
run 10s
loss 0
expect led within 40 beacons
expect one group of 8 within 40 beacons
run 3s
expect no change for 50 beacons
