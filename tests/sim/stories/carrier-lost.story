# SPDX-License-Identifier: Apache-2.0
# The leader's link goes down: the others elect; when it comes back there is one group.
hosts 4
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
link 1 down
expect problem 1 no-carrier within 1 beacon
run 3s
expect same group 2 3 4
link 1 up
expect led within 10 beacons
expect one group of 4 within 10 beacons
