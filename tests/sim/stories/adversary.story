# SPDX-License-Identifier: Apache-2.0
# Half of all datagrams come again, anywhere, others cut, flipped and wrongly tagged: nothing
# changes.
hosts 5
seeds 1..5
start all
expect led within 5 beacons
run 1s
hostile 500
expect no change for 100 beacons
expect refused > 500
crash 1
expect led within 10 beacons
