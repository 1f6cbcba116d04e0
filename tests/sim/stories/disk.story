# SPDX-License-Identifier: Apache-2.0
#
# The state file: an older copy, a lost file, a lost write, a disk that fails.

story F10-group-ids-are-never-reused
# F10: the coordinator crashes repeatedly and loses its last write; no group is formed twice (S3).
hosts 3
seeds 1..20
set priority 1 255
start all
expect led within 5 beacons
run 700ms
crash 1 losing write
run 50ms
restart 1
run 2s
crash 1 losing write
restart 1
run 30ms
crash 1 losing write
run 3s
restart 1
expect led within 15 beacons
crash 2 3
run 3s
expect leader 1
crash 1 losing write
run 10ms
restart 1 2 3
expect led within 15 beacons

story disk-fails
# A host that cannot write its state follows and does not lead; another host does.
hosts 3
set priority 1 200
disk 1 failing
start all
expect led within 20 beacons
expect no role 1 leader
expect problem 1 not-persisted
disk 1 well
expect no problem 1 not-persisted within 40 beacons

story old-state
# D1: an older copy of the state is put back. Alone, the host cannot notice: a random step above its
# reserve keeps the two lives apart. No group id is used twice (S3); old_state.sh counts the failures.
hosts 1
seeds 1..100
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
copy-state 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
expect no problem 1 state-old
stop 1
run 1s
put-back-state 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
expect no problem 1 state-old

story old-state-told
# D1: an older copy of the state is put back. A host that knows of a later start tells it to the
# restarted host, once a minute, not with every datagram.
hosts 3
seeds 1..20
start 2
expect leader 2 within 3s
start 1 3
expect one group of 3 within 3s
copy-state 1
crash 1
run 100ms
start 1
expect one group of 3 within 3s
crash 1
run 100ms
start 1
expect one group of 3 within 3s
run 1s
stop 1
run 1s
expect no problem 1 state-old
put-back-state 1
mark m
start 1
expect problem 1 state-old within 2s
expect one group of 3 within 4s
expect no problem 2 state-old
expect no problem 3 state-old
run 2 min
expect problem 1 state-old
expect sent Challenge_answer < 40 since m

# The new coordinator knew the host only from the lists of the last one.
crash 2
run 2s
expect leaders 1
lose-state 2
start 2
run 2s
expect one group of 3
crash 1
run 100ms
put-back-state 1
start 1
expect problem 1 state-old within 10s

# No host is left that knows of a later start.
crash 1 2 3
lose-state 2
lose-state 3
put-back-state 1
start all
expect one group of 3 within 5s
run 2s
expect no problem 1 state-old

story state-file-lost
# A coordinator without its state file reports that, uses no group id twice, and joins the group.
hosts 3
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
crash 1
lose-state 1
run 1s
restart 1
expect problem 1 state-lost within 1 beacon
expect one group of 3 within 10 beacons
expect no role 1 leader
run 1s
crash 2 3
expect leader 1 within 15 beacons
crash 1
lose-state 1
restart 1
expect leader 1 within 15 beacons
