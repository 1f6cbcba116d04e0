# SPDX-License-Identifier: Apache-2.0
#
# Wills: a leader's process is killed, and its copy reports the end of the demotion (will.md).

story A6-five-leaders
# The leaders of five parts of a healed LAN are killed, more than there are places for pending
# demotions: no host begins to lead next to one of their demotions, even if the last one takes longest.
hosts 13
seeds 1..20
set priority 1..5 200
start all
expect one group of 13 within 3s
hook all 3s
hook 5 12s
split 1 6 | 2 7 | 3 8 | 4 9 | 5 10 11 12 13
run 5s
expect leaders 5
heal
run 400ms
kill 1 2 3 4 5
run 1ms
mark m
expect always no two acting since m for 14s
expect led within 10s
expect no two acting since m

story A6-six-crashes
# A leader is killed, and its successors while its demotion runs: no host leads next to it.
hosts 8
seeds 1..20
set priority 1 200
set priority 2 190
set priority 3 180
set priority 4 170
set priority 5 160
set priority 6 150
start all
expect leader 1 within 5 beacons
expect one group of 8
hook all 12s
run 1s
mark m
kill 1
run 25ms
expect bar 2 crash
kill 2
run 25ms
kill 3
run 25ms
kill 4
run 25ms
kill 5
run 25ms
kill 6
expect always no two acting since m for 5s
expect same group 7 8 within 2s
expect led within 20s
expect no two acting since m

story A7-forged-will
# trust.md 3: an attacker without a key forges wills of a living leader and of members. The others elect
# anew; the living host answers their Challenges, and one group forms soon.
hosts 4
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
poison 1 will
run 500ms
expect one group of 4 within 3s
expect led within 2s
expect always led for 5s
poison 2 will
poison 3 will
expect one group of 4 within 3s
expect led within 2s
run 1s
expect no change for 5s
poison 1 will every 1ms for 10s
run 13s
expect one group of 4 within 3s
expect led within 2s
run 1s
expect no change for 5s

story A7-true-will-after-forged
# trust.md 3: forged wills of a living leader use up no sequence of its true will. When the process of
# the leader is killed later, its copy is believed at once.
hosts 4
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
poison 1 will every 1ms for 1s
run 4s
expect one group of 4 within 3s
expect led within 2s
set preempt all on
expect leader 1 within 3s
run 1s
kill 1
expect leader 2 within 10ms
expect reason 2 coordinator-crashed

story will
# The leader's process is killed; the next host leads within 10 ms, and does not wait for dead_after.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect leader 2 within 10ms
expect one group of 4 within 10ms
expect reason 2 coordinator-crashed
expect reason 3 coordinator-crashed
expect cause 3 1
expect formed == 1 since m
expect made == 1 since m
expect no two acting since m
run 3s
expect leader 2
expect formed == 1 since m
restart 1
expect one group of 5 within 8 beacons
expect leader 2
expect no change for 50 beacons

story will-again
# A host whose demotion was waited for leads again, and dies again: its demotion is waited for again,
# because it is that of another session.
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

story will-beside-the-next
# The host restarts while its demotion runs. Its new session does not end the reports of the old one: no
# host leads next to the demotion, not even the host itself.
hosts 5
seeds 1..20
hook 1 3s
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect one group of 4 within 10ms
run 100ms
restart-beside 1
expect one group of 5 within 8 beacons
expect always leaders 0 for 1s
expect led within 2s
expect no two acting since m

story will-crash-wait
# A demotion that hangs is waited for no longer than each host's crash_wait.
hosts 5
seeds 1..10
hook 1 30s
set priority 1 200
set crash_wait 1 30s
set crash_wait 2..5 3s
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect always leaders 0 for 2900ms
expect led within 300ms

story will-crash-wait-own
# The copy itself reports the end of the demotion after its own crash_wait.
hosts 5
seeds 1..10
hook 1 30s
set priority 1 200
set crash_wait 1 2s
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect always leaders 0 for 1900ms
expect led within 200ms

story will-demotes
# Work that depends on the role has 2 s to end. The next group forms at once, and no host leads in it
# before that; otherwise two hosts would act. Afterwards there is nothing to wait for.
hosts 5
seeds 1..20
hook 1 2s
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect one group of 4 within 10ms
expect always leaders 0 for 1980ms
expect led within 30ms
expect no two acting since m
expect formed == 1 since m
expect made == 1 since m
expect reason 2 coordinator-crashed
restart 1
expect one group of 5 within 8 beacons
expect no change for 50 beacons

story will-heal
# Two parts find each other while a demotion runs that only one of them knows of: the better
# coordinator, of the other part, takes the wait over. Otherwise it would lead at once.
hosts 4
seeds 1..20
hook 1 6s
set preempt 1..4 on
set priority 1 200
set priority 4 250
split 1 2 3 | 4
start 1..3
expect leader 1 within 5 beacons
run 2s
run 2s
start 4
run 800ms
mark m
kill 1
run 400ms
heal
expect one group of 3 within 2s
expect always leaders 0 for 3s
expect leader 4 within 3s
expect no two acting since m

story will-host-dies
# The host dies while its demotion runs: no end is reported, and the wait ends dead_after after the last
# message. Without that bound all wait for crash_wait.
hosts 5
seeds 1..20
hook 1 5s
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 1s
expect one group of 4
expect leaders 0
crash 1
expect led within 610ms
expect formed == 1 since m

story will-host-dies-two
# Two hosts: the process is known to be gone, so the survivor does not wait for lone_hold.
hosts 2
seeds 1..20
hook 1 5s
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
kill 1
run 1s
expect leaders 0
crash 1
expect leader 2 within 610ms

story will-late
# A will of a group that is over has no effect.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
hook 1 1500ms
start all
expect leader 1 within 5 beacons
run 2s
cut 1 > 2
cut 1 > 3
cut 1 > 4
cut 1 > 5
expect role 2 leader within 5 beacons
run 50ms
mark m
delay Goodbye by 300ms
kill 1
join 1 > 2
join 1 > 3
join 1 > 4
join 1 > 5
expect no change for 5s
expect leader 2

story will-lost
# If all messages of a will are lost, dead_after decides, as for a silent host.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
drop Goodbye from 1 count 100
kill 1
expect always no leader 2 for 380ms
expect leader 2 within 300ms
expect reason 2 coordinator-silent
expect formed == 1 since m

story will-newcomer
# A newcomer cannot verify the session whose demotion runs: it follows the group that waits, and does
# not lead next to it after start_hold and lone_hold.
hosts 4
seeds 1..20
hook 1 6s
set priority 1 200
set priority 4 250
start 1..3
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 100ms
start 4
expect one group of 3 within 5 beacons
expect always leaders 0 for 5s
expect led within 1100ms
expect no two acting since m

story will-newcomer-alone
# The group that waits is lost: a newcomer has learned of the pending demotion, and waits, too.
hosts 4
seeds 1..20
hook 1 6s
set priority 1 200
start 1..3
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 100ms
start 4
expect one group of 3 within 5 beacons
run 1s
crash 2 3
expect always leaders 0 for 3500ms
expect led within 3s
expect no two acting since m

story will-no-wait
# With crash_wait = 0 the next host leads at once, next to the demotion.
hosts 5
seeds 1..10
hook 1 2s
set priority 1 200
set crash_wait 1..5 0ms
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect led within 10ms

story will-overtaken
# A demotion ends so soon that the report of its end overtakes the first report: the demotion is over,
# and the late first report begins no wait.
hosts 5
seeds 1..20
hook 1 5ms
set crash_wait all 3s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
delay Goodbye by 6500us from 1 count 4
kill 1
expect leader 2 within 15ms
expect always leader 2 for 1s

story will-repeated
# The first messages of a will are lost: the next ones have the same effect.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
drop Goodbye from 1 count 8
kill 1
expect leader 2 within 30ms
expect reason 2 coordinator-crashed
hook 2 2s
run 2s
mark m
drop Goodbye from 2 count 3
kill 2
expect one group of 3 within 310ms
expect no led
expect led within 2s
expect no two acting since m

story will-replayed
# A will is replayed after its session is over. It has no effect on a host that leads again, on one that
# has just started, or in an election.
hosts 4
seeds 1..10
set priority 1 200
set priority 4 50
hook 1 700ms
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect led within 5 beacons
restart 1
expect one group of 4 within 10 beacons
resign leader
expect led within 2s
run 2s
mark m
replay Goodbye from 1
run 1s
expect elections == 0 since m
expect made == 0 since m
crash 4
run 3s
restart 4
replay Goodbye from 1 to 4
expect one group of 4 within 8 beacons
crash leader
run 610ms
replay Goodbye from 1
expect led within 2 beacons

story will-restarts-at-once
# M1: the leader's process is killed and restarted 20 ms later, when the others have received its will.
# They form one group without it, which it joins.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 20ms
start 1
expect led within 1 beacon
run 2s
expect leader 2
expect one group of 5
expect formed == 1 since m
expect made == 1 since m

story will-successor-dies
# The successor dies, too, while it waits: the next one waits in its place.
hosts 5
seeds 1..20
hook 1 4s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect one group of 4 within 10ms
run 500ms
kill 2
expect one group of 3 within 10ms
expect always leaders 0 for 1s
crash 3
expect always leaders 0 for 2400ms
expect led within 300ms
expect no two acting since m

story will-two
# Two hosts: the role is released, so the survivor leads at once.
hosts 2
seeds 1..20
hook 1 300ms
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
expect always no leader 2 for 299ms
expect leader 2 within 10ms
expect no two acting since m
expect reason 2 coordinator-crashed

story will-two-lost
# Two messages of a will in a row are lost: the waiting hosts have heard of the demotion within
# dead_after nevertheless, and do not lead next to it.
hosts 5
seeds 1..20
hook 1 2s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
mark m
kill 1
run 100ms
drop Goodbye from 1 to 2 count 2
expect always leaders 0 for 1880ms
expect led within 30ms
expect leader 2
expect no two acting since m
