# SPDX-License-Identifier: Apache-2.0
# A newcomer joins; nobody changes group, nobody else's role changes, and a better priority does not
# take over.
hosts 5
seeds 1..20
set priority 5 200
start 1..4
expect led within 5 beacons
run 2s
mark m
start 5
expect one group of 5 within 3 beacons
expect formed == 0 since m
expect made == 0 since m
expect regroupings == 1 since m
expect reason 5 joined
expect election-datagrams <= 8 since m
expect no role 5 leader
