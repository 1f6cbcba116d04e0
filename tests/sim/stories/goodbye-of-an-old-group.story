# SPDX-License-Identifier: Apache-2.0
# F2: a Goodbye that is three seconds late names a group that its sender has left long ago, and not
# the one that it leads by now. It says nothing to a member of that.
hosts 3
set priority 1 200
start all
expect leader 1 within 12 beacons
run 1s
delay Goodbye by 3s from 1 to 3
resign 1 for 300ms
expect leader 2 within 3 beacons
clear
run 700ms
crash 2
expect leader 1 within 8 beacons
expect same group 1 3 within 2 beacons
run 300ms
expect no change for 2s
