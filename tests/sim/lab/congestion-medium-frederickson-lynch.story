# SPDX-License-Identifier: Apache-2.0
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
