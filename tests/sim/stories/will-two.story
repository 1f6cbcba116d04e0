# SPDX-License-Identifier: Apache-2.0
# 4.11: two hosts: the role is let go of, so the survivor leads at once.
hosts 2
seeds 1..20
hook 1 300ms
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect always no leader 2 for 299ms
expect leader 2 within 10ms
expect no two acting since m
expect reason 2 coordinator-crashed
