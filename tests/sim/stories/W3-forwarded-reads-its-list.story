# SPDX-License-Identifier: Apache-2.0
# W3: a member that its coordinator's forwarded Invitation has moved to another group knows the
# inviter by that word alone. It challenges it for its list, so a merge takes no repeats of that.
hosts 5
seeds 1..60
start all
expect one group of 5 within 80 beacons
run 2s
split 1 2 | 3 4 5
run 3s
heal
expect one group of 5 within 240ms
