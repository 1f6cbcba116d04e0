# SPDX-License-Identifier: Apache-2.0
# A host that led alone and makes way has changed things outside: the winner is confirmed with a new
# group and token, as after any merge, though its demotion makes the loser look like a newcomer.
hosts 2
seeds 1..10
hook all 500ms
split 1 | 2
start all
run 4s
expect leaders 2
mark m
heal
expect led within 12 beacons
run 2s
expect one group of 2
expect formed == 1 since m
expect made == 0 since m
