# SPDX-License-Identifier: Apache-2.0
# F6: three coordinators meet at once. Whoever waited for its turn looks again: one merge, not
# three.
hosts 9
seeds 1..40
split 1..3 | 4..6 | 7..9
start all
run 4s
mark m
heal
expect led within 5 beacons
run 2s
expect in total formed <= 48 since m
expect made == 0 since m
