# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.10, 4.15: the successor to a host whose kernel does not answer leads at once. It
# resigns, no other host may lead, so it forms its group anew and leads again: the silence of that
# host is the same, and there is no new wait for its work.
hosts 3
seeds 1..25
set priority 1 200
set priority 2 150
start all
expect leader 1 within 6 beacons
hold 3 on
run 2s
stall --host 1 5s when it sends AYCoord
expect role 2 leader within 1s
resign 2 for 60ms
run 20ms
expect role 2 none
expect role 2 leader within 1s
run 6s
expect one group of 3 within 5s
