# SPDX-License-Identifier: Apache-2.0
# The coordinator that is invited dies when it has forwarded the Invitation.
hosts 6
seeds 1..20
split 1..4 | 5 6
start all
run 4s
mark m
crash 5 when it sends Accept
crash 6 when it sends Accept
heal
run 3s
expect one group of 4 within 10 beacons
expect led
