# SPDX-License-Identifier: Apache-2.0
# 4.11: a host whose demotion was waited for leads again, and dies again: it is waited for again, for
# that is another session.
hosts 4
seeds 1..10
hook 1 700ms
set preempt 1..4 on
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect led within 800ms
restart 1
expect leader 1 within 3s
run 2s
mark m
kill 1
expect one group of 3 within 10ms
expect always leaders 0 for 680ms
expect led within 30ms
expect no two acting since m
