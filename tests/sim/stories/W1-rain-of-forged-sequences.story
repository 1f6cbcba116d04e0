# SPDX-License-Identifier: Apache-2.0
# trust.md 3, W1: for two seconds somebody with the key sends forged sequences in the name of all hosts,
# in both spaces. Three beacons after the last one there is one group with one leader, and it stays.
hosts 4
seeds 1..100
start all
expect led within 4s
expect one group of 4 within 2s
run 2s
poison 1..4 near every 20ms for 2s
run 1980ms
run 600ms
expect led
expect always one group of 4 for 3s
