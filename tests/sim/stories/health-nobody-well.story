# SPDX-License-Identifier: Apache-2.0
# 4.12: nobody is well: nobody leads, and the first that gets well does, whatever it was before.
hosts 3
start all
expect led within 10 beacons
run 1s
report all db sick
expect leaders 0 within 1s
expect always leaders 0 for 5s
expect agree within 10 beacons
run 5s
report 2 db well
expect leader 2 within 10 beacons
expect one group of 3 within 10 beacons
