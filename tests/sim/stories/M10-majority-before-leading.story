# SPDX-License-Identifier: Apache-2.0
# M10: the coordinator dies and its successor is cut off at the same moment: it must not lead while
# most follow another one.
hosts 7
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
crash 1
split 2 | 3..7
mark m
expect leaders 1 within 5 beacons
expect no role 2 leader
expect always no role 2 leader for 500ms
