# SPDX-License-Identifier: Apache-2.0
# F19: the first copy of a Goodbye is lost to all.
hosts 4
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
drop Goodbye from 1 count 3
stop 1
expect led within 1 beacon
