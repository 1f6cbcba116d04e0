# SPDX-License-Identifier: Apache-2.0
# trust.md 3, W1: for two seconds somebody with the key sends forged sequences in the name of all hosts,
# in both spaces. Three beacons after the last one there is one group with one leader, and it stays; or, if
# the last beacon begins a merge, the window of an election later. At 600 ms 3 of 500 seeds are not there yet.
hosts 4
seeds 1..60
start all
expect led within 4s
expect one group of 4 within 2s
run 2s
poison 1..4 near every 20ms for 2s
run 1980ms
run 700ms
expect led
expect always one group of 4 for 3s
