# SPDX-License-Identifier: Apache-2.0
#
# Congestion: a minute in which each datagram is late and the best host crashes twice and returns; each
# algorithm in turn (elections.md). Each story bounds the new leaders in ten such minutes.

story congestion-light-bully
# bully, delays up to 20 ms: 50 leaders, and no more.
algorithm bully
hosts 5
seeds 1..10
set priority 5 200
condition ncl-light
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 50
condition absent
expect agree within 7s

story congestion-light-bully-short
# bully-short, delays up to 20 ms: 69 leaders, and no more.
algorithm bully-short
hosts 5
seeds 1..10
condition ncl-light
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 69
condition absent
expect agree within 7s

story congestion-light-frederickson-lynch
# frederickson-lynch, delays up to 20 ms: 20 leaders, and no more.
algorithm frederickson-lynch
hosts 5
seeds 1..10
condition ncl-light
start 1
run 3s
start 2..5 over 1s
run 12s
crash 1
run 12s
restart 1
run 12s
crash 1
run 12s
restart 1
run 12s
expect in total made <= 20
condition absent
expect agree within 7s

story congestion-light-invitation
# invitation, delays up to 20 ms: 20 leaders, and no more.
algorithm invitation
hosts 5
seeds 1..10
set priority 5 200
condition ncl-light
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 20
condition absent
expect agree within 7s

story congestion-medium-bully
# bully, delays up to 100 ms: 50 leaders, and no more.
algorithm bully
hosts 5
seeds 6..15
set priority 5 200
condition ncl-medium
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 50
condition absent
expect agree within 7s

story congestion-medium-bully-short
# bully-short, delays up to 100 ms: 65 leaders, and no more.
algorithm bully-short
hosts 5
seeds 1..10
condition ncl-medium
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 65
condition absent
expect agree within 7s

story congestion-medium-frederickson-lynch
# frederickson-lynch, delays up to 100 ms: 25 leaders, and no more.
algorithm frederickson-lynch
hosts 5
seeds 1..10
condition ncl-medium
start 1
run 3s
start 2..5 over 1s
run 12s
crash 1
run 12s
restart 1
run 12s
crash 1
run 12s
restart 1
run 12s
expect in total made <= 25
condition absent
expect agree within 7s

story congestion-medium-invitation
# invitation, delays up to 100 ms: 20 leaders, and no more.
algorithm invitation
hosts 5
seeds 1..10
set priority 5 200
condition ncl-medium
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 20
condition absent
expect agree within 7s

story congestion-severe-bully
# bully, delays up to 300 ms: 50 leaders, and no more.
algorithm bully
hosts 5
seeds 1..10
set priority 5 200
condition ncl-severe
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 50
condition absent
expect agree within 7s

story congestion-severe-bully-short
# bully-short, delays up to 300 ms: 85 leaders, and no more.
algorithm bully-short
hosts 5
seeds 1..10
condition ncl-severe
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 85
condition absent
expect agree within 7s

story congestion-severe-frederickson-lynch
# frederickson-lynch, delays up to 300 ms: 43 leaders, and no more.
algorithm frederickson-lynch
hosts 5
seeds 1..10
condition ncl-severe
start 1
run 3s
start 2..5 over 1s
run 12s
crash 1
run 12s
restart 1
run 12s
crash 1
run 12s
restart 1
run 12s
expect in total made <= 43
condition absent
expect agree within 7s

story congestion-severe-invitation
# invitation, delays up to 300 ms: 20 leaders, and one more in about 600.
algorithm invitation
hosts 5
seeds 1..10
set priority 5 200
condition ncl-severe
start 5
run 3s
start 1..4 over 1s
run 12s
crash 5
run 12s
restart 5
run 12s
crash 5
run 12s
restart 5
run 12s
expect in total made <= 22
condition absent
expect agree within 7s
