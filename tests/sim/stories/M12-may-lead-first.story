# SPDX-License-Identifier: Apache-2.0
# M12: a coordinator of priority 0 does not keep a host of priority 100 without a leader.
hosts 5
set priority 1..4 0
start 1..4
run 4s
expect leaders 0
expect one group of 4
start 5
expect leader 5 within 15 beacons
expect one group of 5
