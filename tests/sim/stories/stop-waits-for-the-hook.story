# SPDX-License-Identifier: Apache-2.0
# A leader that is stopped demotes first; nobody leads before its hook has ended.
hosts 4
set priority 1 200
hook 1 1s
start all
expect leader 1 within 5 beacons
run 1s
mark m
stop 1
expect always leader 1 for 950ms
expect led within 1 beacon
expect no role 1 leader
expect no two leaders since m
