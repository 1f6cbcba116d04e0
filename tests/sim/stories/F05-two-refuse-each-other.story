# SPDX-License-Identifier: Apache-2.0
# F5: two lone coordinators of equal worth meet: periods jitter and a refusal is said, so they never
# miss each other for long.
hosts 2
seeds 1..40
split 1 | 2
start all
run 4s
heal
expect led within 5 beacons
expect one group of 2
