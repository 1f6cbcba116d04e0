# SPDX-License-Identifier: Apache-2.0
# 4.11: what acts on the role has 2 s to end. The next group forms at once, and nobody leads in it
# before: without the wait two hosts act. Then there is no more to wait for.
hosts 5
seeds 1..20
hook 1 2s
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect one group of 4 within 10ms
expect always leaders 0 for 1980ms
expect led within 30ms
expect no two acting since m
expect formed == 1 since m
expect made == 1 since m
expect reason 2 coordinator-crashed
restart 1
expect one group of 5 within 8 beacons
expect no change for 50 beacons
