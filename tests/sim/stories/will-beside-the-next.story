# SPDX-License-Identifier: Apache-2.0
# 4.11: the host is started again while its demotion runs. Its new session does not end what its old one
# has to say: nobody leads beside that, itself neither.
hosts 5
seeds 1..20
hook 1 3s
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect one group of 4 within 10ms
run 100ms
restart-beside 1
expect one group of 5 within 8 beacons
expect always leaders 0 for 1s
expect led within 2s
expect no two acting since m
