# SPDX-License-Identifier: Apache-2.0
#
# The adaptive timeout (patience): a leader that was falsely suspected before gets more time
# (algorithm.md 4.13).

story patience-cut-off
# 4.13: who was cut off for a moment, and did not stand still, was not wronged: the LAN lost what it said. It is
# succeeded to as soon as ever, each time, and when it dies.
hosts 5
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
split 1 | 2..5
run 700ms
heal
run 3s
mark dies
crash 1
expect one group of 4 within 500ms
expect led
expect elections == 1 since dies

story patience-forgotten
# 4.13: false alarms are forgotten, one each 10 minutes: the leader that was given time is replaced as soon as
# any other.
hosts 5
seeds 1..5
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
mark patient
stall 1 700ms
run 3s
expect succeeded == 0 since patient
run 1260s
mark forgotten
stall 1 700ms
run 3s
expect succeeded == 2 since forgotten

story patience-host
# 4.13: the same of a host that pauses as a whole: its kernel is silent, too, so silence_ms grows, 50 ms the
# first time and twice as much each further one: others lead four times of 20.
hosts 5
seeds 1..50
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
expect succeeded <= 8 since m
expect leader 1

story patience-host-dies
# 4.13: patience has a bound: a host that paused often, and then dies, is replaced within a beacon, twice
# silence_ms and dead_after.
hosts 5
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
stall --host 1 700ms
run 3s
mark dies
crash 1
expect one group of 4 within 1300ms
expect led
expect elections == 1 since dies

story patience-long-sleep
# 4.13: who was asleep for longer than patience could bear has not been wronged: it is taken for dead as soon
# as before.
hosts 5
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 10s
run 20s
stall 1 10s
run 20s
stall 1 10s
run 20s
mark m
stall 1 790ms
run 5s
expect succeeded == 2 since m

story patience-moves-with-its-host
# 4.13: patience is with one host: who leads in its place is succeeded to as soon as ever.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
crash 1
expect leader 2 within 3s
run 3s
mark m
stall 2 900ms
run 3s
expect succeeded == 2 since m

story patience-process
# 4.13: a leader whose process stands still for 700 ms each 3 s, with preempt, is taken for dead twice and
# then given the time; without patience others lead each of the 20 times. `succeeded`: there and back.
hosts 5
seeds 1..50
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
expect succeeded <= 4 since m
expect leader 1

story patience-process-dies
# 4.13: a process that stood still is no host that pauses: when its host dies, early doubt is as early as
# ever.
hosts 5
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
crash 1
expect one group of 4 within 490ms
expect led

story patience-two
# 4.13: of two hosts the other forms a group of its own, which is a false alarm, too, though it leads only after
# lone_hold; six are the most. The last one that dies is succeeded to after three dead_after. A leader
# that is waited for forms its group anew when it leads again, for another token (S5).
hosts 2
seeds 1..20
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1200ms
run 5s
stall 1 1750ms
run 5s
stall 1 1750ms
run 5s
stall 1 1750ms
run 5s
mark patient
stall 1 1500ms
run 5s
stall 1 1500ms
run 5s
stall 1 1500ms
run 5s
expect formed == 3 since patient
crash 1
run 1500ms
expect no leader 2
expect leader 2 within 1900ms
