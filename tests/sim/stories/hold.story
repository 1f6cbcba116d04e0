# SPDX-License-Identifier: Apache-2.0
# A held host hands over and does not lead again, also after a restart, until it is let go.
hosts 3
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
hold 1 on
expect unfit 2 of 1 held within 3 beacons
expect no role 1 leader within 1 beacon
expect led within 10 beacons
run 1s
crash 1
run 1s
restart 1
run 2s
crash 2 3
expect always no role 1 leader for 4s
hold 1 off
expect leader 1 within 15 beacons
