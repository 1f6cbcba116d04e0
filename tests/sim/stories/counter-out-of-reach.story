# SPDX-License-Identifier: Apache-2.0
# A host comes with a counter no honest one could have: it is refused and reported, and the others go
# on.
hosts 3
reserve 3 400000000000
start 3
expect led within 15 beacons
run 1s
mark m
start 1 2
expect problem 1 counter-refused within 2 beacons
expect same group 1 2 within 15 beacons
expect leaders 2 within 10 beacons
run 3s
expect formed == 1 since m
