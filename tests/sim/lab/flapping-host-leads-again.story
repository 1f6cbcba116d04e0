# SPDX-License-Identifier: Apache-2.0
# elections.md, omega, C2: who returns was a mistake, and leads again each time. The interval grows:
# the eighth crash is noticed later than the first.
algorithm omega
hosts 5
seeds 1..10
start all
run 3s
expect leader 1
crash 1
expect leader 2 within 6 beacons
run 2s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
run 3s
restart 1
run 3s
expect leader 1
crash 1
expect always no leader 2 for 3 beacons
expect leader 2 within 12 beacons
