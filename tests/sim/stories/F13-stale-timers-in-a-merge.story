# SPDX-License-Identifier: Apache-2.0
# F13: the inviter stands still in the middle of a merge, for about as long as its windows are.
hosts 6
seeds 1..30
split 1..3 | 4..6
start all
run 4s
stall 1 80ms when it sends Invitation
stall 4 80ms when it sends Invitation
stall 1 130ms when it sends Ready
stall 4 130ms when it sends Ready
heal
expect led within 15 beacons
run 2s
expect one group of 6
