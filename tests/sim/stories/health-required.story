# SPDX-License-Identifier: Apache-2.0
# 4.12: a required name that nobody has reported is unknown, and unknown does not lead; a start
# forgets what was reported before it.
hosts 2
require all pg
start all
expect always leaders 0 for 5s
expect sick 1
report 2 pg well
expect leader 2 within 5 beacons
expect unfit 2 of 1 unknown within 5 beacons
report 1 pg well
run 1s
expect leader 2
crash 2
expect leader 1 within 15 beacons
restart 2
run 2s
expect sick 2
expect leader 1
