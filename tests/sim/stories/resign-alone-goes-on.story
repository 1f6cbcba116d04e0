# SPDX-License-Identifier: Apache-2.0
# Nobody else may lead: whoever resigns goes on as a coordinator without leading, and leads again when
# the time is over.
hosts 3
set priority 2 0
set priority 3 0
start all
expect leader 1 within 10 beacons
run 1s
resign 1 for 2s
expect leaders 0 within 1 beacon
run 1s
expect leaders 0
expect leader 1 within 20 beacons
