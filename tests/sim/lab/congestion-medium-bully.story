# SPDX-License-Identifier: Apache-2.0
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
