# SPDX-License-Identifier: Apache-2.0
#
# The adaptive timeout (`patience`): falsely suspected leaders get more time (suspicion.md, Adaptive timeout).

story patience-cut-off
# A host that was cut off for a moment and did not stall was not suspected falsely: the LAN lost its
# messages. It is succeeded as fast as before, each time, and when it dies.
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

story patience-cut-off-from-all
# Three hosts with the profile "fast" lose each other, seven times. One of the followers leads, because
# its own link shows life, and the other one waits. After a heal the leader may hear first the one that
# waits, and then the report of the one that led. It was cut off all the same, and is succeeded as fast
# as before.
hosts 3
seeds 1..20
set beacon all 50ms
set dead_after all 600ms
set silence all 65ms
set priority 1 200
set preempt all on
noise 3 every 20ms
start all
expect leader 1 within 6 beacons
run 1s
split 1 | 2 | 3
run 400ms
heal
run 1200ms
split 1 | 2 | 3
run 400ms
heal
run 1200ms
split 1 | 2 | 3
run 400ms
heal
run 1200ms
split 1 | 2 | 3
run 400ms
heal
run 1200ms
split 1 | 2 | 3
run 400ms
heal
run 1200ms
split 1 | 2 | 3
run 400ms
heal
run 1200ms
split 1 | 2 | 3
expect leaders 2 within 160ms

story patience-forgotten
# False suspicions are forgotten, one per 10 minutes: then the leader is replaced as soon as any other.
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
# A host pauses as a whole for 700 ms each 3 s. Its kernel is silent, too, so silence_ms grows, by 50 ms
# the first time and twice as much each further time: others lead four times of 20.
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
# The adaptive timeout has a bound: a beacon, twice silence_ms and dead_after.
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
# A sleep longer than the longest timeout is no false suspicion: the timeout stays as it is.
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
# The adaptive timeout belongs to one host: its successor has none.
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
# A leader whose process stalls for 700 ms each 3 s, with preempt, is declared dead twice and then given
# the time; otherwise others would lead each of the 20 times. `succeeded`: there and back.
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
# A stalled process is not a paused host: when its host dies, early suspicion is as early as before.
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
# Two hosts: the other one forms a group of its own. That is a false suspicion, too, though it leads
# only after lone_hold; six are the most. When the host dies it is succeeded after three dead_after. A
# leader that was waited for forms its group anew when it leads again, for a new token (S5).
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
