# SPDX-License-Identifier: Apache-2.0
# M9: who does not answer stays listed and is probed, so a crash at 10 % loss is over soon.
hosts 10
seeds 1..60
loss 100
set priority 1 200
start all
expect led within 25 beacons
run 3s
mark m
crash 1
expect agree within 12 beacons
expect in total formed <= 75 since m
