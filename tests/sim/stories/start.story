# SPDX-License-Identifier: Apache-2.0
#
# Starts: hosts start together, one after the other or anew, and listen before they act.

story F08-succession-and-lone-hold
# F8: a crash makes one leader, not n - 1, and few datagrams; so does a cold start.
hosts 20
seeds 1..10
start all
expect led within 5 beacons
expect made == 1
expect formed == 1
expect election-datagrams <= 5 a host
run 2s
mark m
set priority 1..20 100
crash 1
crash 2
run 3s
expect led
expect made <= 1 since m
expect formed <= 1 since m
expect election-datagrams <= 9 a host since m

story F18-start-hold
# F18: hosts that start within start_hold of each other make one leader, ever.
hosts 8
seeds 1..20
start all over 400ms
expect agree within 7 beacons
expect led within 8 beacons
run 2s
expect made == 1
expect one group of 8

story all-crash-and-return
# A power cut: all hosts go and come back within a second.
hosts 8
seeds 1..20
start all
expect led within 5 beacons
run 1s
crash 1 2 3 4 5 6 7 8
run 500ms
restart all over 1s
run 1s
expect led within 10 beacons
expect one group of 8 within 10 beacons

story cold-start-100
# 100 hosts start together: one group and one leader, ever, soon after start_hold.
hosts 100
seeds 1..2
start all
expect led within 4 beacons
run 2s
expect one group of 100
expect made == 1
expect formed == 1
expect election-datagrams <= 5 a host
expect datagrams <= 24 a host
expect no change for 20 beacons

story cold-start-20
# 20 hosts start together: one group and one leader, ever, soon after start_hold.
hosts 20
seeds 1..20
start all
expect led within 4 beacons
run 2s
expect one group of 20
expect made == 1
expect formed == 1
expect election-datagrams <= 5 a host
expect datagrams <= 24 a host
expect no change for 20 beacons

story cold-start-3
# 3 hosts start together: one group and one leader, ever, soon after start_hold.
hosts 3
seeds 1..20
start all
expect led within 4 beacons
run 2s
expect one group of 3
expect made == 1
expect formed == 1
expect election-datagrams <= 5 a host
expect datagrams <= 24 a host
expect no change for 20 beacons

story cold-start-spread
# 20 hosts start within a second.
hosts 20
seeds 1..10
start all over 1s
run 1s
expect one group of 20 within 3 beacons
expect led within 3 beacons
run 2s
expect made == 1
expect election-datagrams <= 8 a host

story restart-unheard
# F18: a host restarts and its first Hellos are lost: it has heard the coordinator before it acts.
hosts 4
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
crash 3
run 500ms
mark m
drop Hello from 3 count 3
start 3
expect one group of 4 within 8 beacons
expect formed == 0 since m
