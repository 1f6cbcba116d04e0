# SPDX-License-Identifier: Apache-2.0
# S001 IV-B: two sides of a split have a coordinator each; when they hear each other the later election
# counts, of two of one number the better host. Without that order there would be two for ever, or an
# election for each healed split.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
elect 1
run 200ms
expect leader 5
split 1 2 3 | 4 5
run 5s
expect leaders 2
mark m
heal
expect leaders 1 within 2 beacons
expect led within 2 beacons
expect leader 3
run 2s
expect elections == 0 since m
