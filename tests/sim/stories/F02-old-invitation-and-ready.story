# SPDX-License-Identifier: Apache-2.0
# F2: Invitations and Readys of groups that are over arrive late and twice; nobody acts on them.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect led within 10 beacons
run 1s
delay Invitation by 900ms from 2 count 8
delay Ready by 700ms from 2 count 8
duplicate Invitation count 200
duplicate Ready count 200
crash 1
expect led within 12 beacons
run 10 beacons
mark m
expect no change for 20 beacons
replay Ready from 2
replay Invitation from 2
expect no change for 10 beacons
