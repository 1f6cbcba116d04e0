# SPDX-License-Identifier: Apache-2.0
# 4.12: a bar does not keep the only host that is left from leading.
hosts 3
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
report 1 pg sick
expect leader 2 within 10 beacons
report 1 pg well
expect always no role 1 leader for 2s
expect unfit 2 of 1 barred within 5 beacons
report 2..3 pg sick
expect leader 1 within 10 beacons
