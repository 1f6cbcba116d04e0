# SPDX-License-Identifier: Apache-2.0
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
