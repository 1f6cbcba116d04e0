# SPDX-License-Identifier: Apache-2.0
# Q3: a host that does not take the list is invited ever more rarely, and its coordinator says so;
# when the list gets through it is back.
hosts 4
set priority 1 200
start 1 2 3
expect leader 1 within 6 beacons
drop Ready to 4 count 1000000
start 4
run 60s
mark m
expect problem 1 list-untaken
run 60s
expect sent Invitation <= 60 since m
expect sent Ready <= 60 since m
expect problem 1 list-untaken
expect no problem 2 list-untaken
expect role 1 leader
clear
expect one group of 4 within 40s
expect no problem 1 list-untaken within 2s
