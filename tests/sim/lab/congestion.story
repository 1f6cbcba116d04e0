# SPDX-License-Identifier: Apache-2.0
#
# Congestion: a minute in which each datagram is late and the best host crashes twice; each algorithm in
# turn (elections.md).

story congestion-light-bully
# elections.md, bully: a minute in which each datagram waits up to 20 ms, and the best host crashes
# twice and comes back. In ten such minutes 50 leaders are made, and no more; then it agrees.
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
# elections.md, bully-short: a minute in which each datagram waits up to 20 ms, and the best host crashes
# twice and comes back. In ten such minutes 69 leaders are made, and no more; then it agrees.
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
# elections.md, frederickson-lynch: a minute in which each datagram waits up to 20 ms, and the best host crashes
# twice and comes back. In ten such minutes 20 leaders are made, and no more; then it agrees.
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
# elections.md, invitation: a minute in which each datagram waits up to 20 ms, and the best host crashes
# twice and comes back. In ten such minutes 20 leaders are made, and no more; then it agrees.
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
# elections.md, bully: a minute in which each datagram waits up to 100 ms, and the best host crashes
# twice and comes back. In ten such minutes 50 leaders are made, and no more; then it agrees.
algorithm bully
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
expect in total made <= 50
condition absent
expect agree within 7s

story congestion-medium-bully-short
# elections.md, bully-short: a minute in which each datagram waits up to 100 ms, and the best host crashes
# twice and comes back. In ten such minutes 65 leaders are made, and no more; then it agrees.
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
# elections.md, frederickson-lynch: a minute in which each datagram waits up to 100 ms, and the best host crashes
# twice and comes back. In ten such minutes 25 leaders are made, and no more; then it agrees.
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
# elections.md, invitation: a minute in which each datagram waits up to 100 ms, and the best host crashes
# twice and comes back. In ten such minutes 20 leaders are made, and no more; then it agrees.
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
# elections.md, bully: a minute in which each datagram waits up to 300 ms, and the best host crashes
# twice and comes back. In ten such minutes 50 leaders are made, and no more; then it agrees.
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
# elections.md, bully-short: a minute in which each datagram waits up to 300 ms, and the best host crashes
# twice and comes back. In ten such minutes 85 leaders are made, and no more; then it agrees.
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
# elections.md, frederickson-lynch: a minute in which each datagram waits up to 300 ms, and the best host crashes
# twice and comes back. In ten such minutes 43 leaders are made, and no more; then it agrees.
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
# elections.md, invitation: a minute in which each datagram waits up to 300 ms, and the best host crashes
# twice and comes back. In ten such minutes 20 leaders are made, and one more in about 600; then
# it agrees.
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
