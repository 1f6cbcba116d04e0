# SPDX-License-Identifier: Apache-2.0
#
# Reports: names, definitions, reasons and different configurations, as the hosts report them.

story definition
# A definition of the coordinator reaches every member, newcomers too, and survives the coordinator.
hosts 4
set priority 1 200
start 1..3
expect leader 1 within 5 beacons
run 1s
mark m
define 1 blue
expect definition 3 blue within 2 beacons
expect formed == 0 since m
start 4
expect definition 4 blue within 5 beacons
crash 1
expect led within 5 beacons
expect definition 4 blue

story reason-of-its-group
# A host that begins to lead, or to follow, some time after its group was formed reports the reason of
# the group, not the hosts that came or went meanwhile.
hosts 3
seeds 1..10
require 1 disk
require 2 disk
require 3 disk
start 1
expect state 1 normal within 3s
start 2
expect one group of 2 within 1s
expect reason 1 joined
start 3
expect one group of 3 within 1s
expect leaders 0
expect reason 2 joined
expect cause 2 3
report 1 disk well
expect leader 1 within 2s
expect reason 1 alone
expect role 2 follower within 1 beacon
expect role 3 follower within 1 beacon
expect reason 2 joined
expect cause 2 1
expect cause 3 1

# A demotion names its own reason, whichever host leaves while it runs.
report 2 disk well
report 3 disk well
run 1s
hook all 300ms
hold 1 on
run 100ms
stop 3
expect one group of 2 within 100ms
run 50ms
expect leader 1
expect leader 2 within 1s
expect reason 2 coordinator-resigned

story renamed
# lists.md: a member, the leader and then both are renamed while they run. All lists show it
# soon, despite lost datagrams, and no role or group changes. Without the rule the former names stay.
hosts 5
seeds 1..20
loss 50
set priority 1 200
set name all localhost
start all
expect leader 1 within 5s
expect one group of 5 within 5s
expect problem 3 name-clash within 2s
mark m
set name 3 web-3
expect name of 3 at 1 web-3 within 3s
expect name of 3 at 5 web-3 within 3s
expect name of 3 at 3 web-3 within 3s
expect reason 1 renamed
expect cause 5 3
set name 1 web-1
expect name of 1 at 4 web-1 within 3s
expect name of 3 at 4 web-3
expect name of 1 at 1 web-1
set name 2 web-2
set name 4 web-4
set name 1 web-1.example
expect name of 2 at 5 web-2 within 3s
expect name of 4 at 5 web-4 within 3s
expect name of 1 at 5 web-1.example within 3s
expect no problem 3 name-clash within 3s
expect regroupings == 0 since m
expect leader 1

story renamed-all
# lists.md: all hosts of a large group are renamed at once, as by one command. Names that arrive
# while a list is in transit are in the next list together. Without the rule each name causes a list,
# and 60 lists leave within a hundredth of a second.
hosts 60
seeds 1..3
set priority 1 200
set name all web
start 1
run 1s
start 2..60
expect one group of 60 within 10s
run 3s
mark m
set name all db
run 3s
expect name of 1 at 2 db
expect name of 30 at 2 db
expect name of 60 at 59 db
expect sent Ready <= 40 since m
expect regroupings == 0 since m
expect leader 1

story renamed-under-faults
# lists.md: hosts are renamed while groups break, merge and lose hosts, and while a fifth of all
# datagrams is lost. At the end all lists have the present names.
hosts 6
seeds 1..30
set priority 1 200
start all
run 1s
loss 200
set name 1 a-1
set name 2 a-2
crash 1
set name 3 a-3
run 300ms
start 1
set name 1 b-1
split 1 2 | 3 4 5 6
set name 4 a-4
run 1500ms
set name 2 b-2
set name 3 b-3
set name 5 a-5
heal
run 200ms
set name all c
set name 6 a-6
crash 3
run 700ms
set name 1 c-1
set name 2 c-2
start 3
set name 3 c-3
set name 4 c-4
set name 5 c-5
set name 6 c-6
loss 20
expect one group of 6 within 20s
expect led within 5s
expect name of 1 at 6 c-1 within 6s
expect name of 2 at 6 c-2 within 6s
expect name of 3 at 2 c-3 within 6s
expect name of 4 at 3 c-4 within 6s
expect name of 5 at 1 c-5 within 6s
expect name of 6 at 1 c-6 within 6s
expect no problem 1 name-clash within 3s

story renamed-while-forming
# lists.md: hosts are renamed after the message that names them, and before the group of that
# message works, as when names are set while all start. The list gets all new names.
hosts 3
seeds 1..10
set priority 1 200
start all
delay Ready_answer by 100ms count 20
run 640ms
set name 1 web-1
set name 2 web-2
expect state 1 reorganizing
expect leader 1 within 5s
clear
expect name of 1 at 3 web-1 within 3s
expect name of 2 at 3 web-2 within 3s

story timings-differ
# A member with another beacon interval than its coordinator reports the difference.
hosts 3
seeds 1..20
set priority 1 200
set beacon 3 300ms
set dead_after 3 900ms
start all
expect one group of 3 within 8 beacons
expect problem 3 timings-differ within 5 beacons
