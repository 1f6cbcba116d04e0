# SPDX-License-Identifier: Apache-2.0
# A host comes with a counter far above the others', within what is allowed: it joins, and a group
# formed later is above it.
hosts 3
reserve 3 4000000000
start 1 2
expect led within 5 beacons
run 1s
start 3
expect one group of 3 within 8 beacons
run 1s
crash 1
expect led within 10 beacons
