# SPDX-License-Identifier: Apache-2.0
# 4.10: a silent host is found before dead_after; all agree, and know why.
hosts 5
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
crash 1
expect one group of 4 within 480ms
expect led
expect elections == 1 since m
expect made == 1 since m
expect in total election-datagrams <= 880 since m
expect reason 2 coordinator-silent
expect cause 3 1
