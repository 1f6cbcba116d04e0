# SPDX-License-Identifier: Apache-2.0
# Q3: a list that never arrives at one host of twelve costs two datagrams a second, after a minute,
# of all hosts together; what is left are the members' routine and two coordinators' beacons.
hosts 12
seeds 1..3
set priority 1 200
start 1..11
expect leader 1 within 10 beacons
drop Ready to 12 count 1000000
start 12
run 60s
mark m
run 100s
expect sent AYCoord_answer <= 80 since m
expect sent Invitation <= 10 since m
expect sent Ready <= 70 since m
expect sent Accept <= 60 since m
expect sent Ready_answer <= 50 since m
expect sent AYThere_answer <= 15 since m
expect problem 1 list-untaken
expect role 1 leader
clear
expect one group of 12 within 40s
