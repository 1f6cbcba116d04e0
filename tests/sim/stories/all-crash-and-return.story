# SPDX-License-Identifier: Apache-2.0
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
