# SPDX-License-Identifier: Apache-2.0
# A host of priority 0 never leads, not even alone.
hosts 2
set priority 2 0
start all
expect leader 1 within 10 beacons
run 1s
crash 1
expect always no role 2 leader for 5s
expect state 2 normal
restart 1
expect leader 1 within 15 beacons
priority 1 0
expect leaders 0 within 2 beacons
