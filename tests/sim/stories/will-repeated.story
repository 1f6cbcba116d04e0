# SPDX-License-Identifier: Apache-2.0
# 4.11: the first words of it are lost: the next ones do.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
drop Goodbye from 1 count 8
kill 1
expect leader 2 within 30ms
expect reason 2 coordinator-crashed
hook 2 2s
run 2s
mark m
drop Goodbye from 2 count 3
kill 2
expect one group of 3 within 310ms
expect no led
expect led within 2s
expect no two acting since m
