# SPDX-License-Identifier: Apache-2.0
# algorithm.md 3, 4.4: without multicast two hosts know each other by a third one alone, which has died. One
# of them is suspended for longer than a silent host is remembered (ROUTES_GONE), and its link comes up
# late: they find each other again.
hosts 3
seeds 1..10
multicast all off
peers 2 1
peers 3 1
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5s
expect one group of 3 within 5s
run 5s
crash 1
expect leader 2 within 5s
expect one group of 2 within 5s
run 5s
stall --host 2 2 h
run 1s
link 2 down
expect role 3 leader within 10s
run 7200s
run 5s
expect role 2 none
link 2 up
expect one group of 2 within 10s
expect led within 5s
