# SPDX-License-Identifier: Apache-2.0
# A host comes with a counter far above all others': nobody is refused for ever and nobody leads
# beside it. Those it is out of reach for wait while they hear it, and go on when it is gone.
hosts 3
reserve 3 400000000000
set priority 3 200
start all
expect leader 3 within 15 beacons
run 20s
expect leader 3
expect state 1 down
expect state 2 down
crash 3
expect same group 1 2 within 15 beacons
expect leaders 1 within 10 beacons
