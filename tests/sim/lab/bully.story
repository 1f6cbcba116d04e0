# SPDX-License-Identifier: Apache-2.0
#
# Bully: the gaps C1 to C8 of elections.md, and recoveries, splits and demotions.

story bully-C1-one-above-acts
# C1: nothing on the slides makes the hosts act that are asked whether they are up. One below has missed
# beacons, and asks sooner; without C1 all wait for the suspicion of the one above.
algorithm bully
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
drop AYNormal from 1 to 3
drop AYNormal from 1 to 4
crash 1 when it sends AYNormal
expect state 1 off within 2 beacons
expect leader 2 within 640ms

story bully-C2-one-above-dies-when-it-has-said-so
# C2: the best host answers that it is up, and dies. Without C2 all that it answered wait for ever.
algorithm bully
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 when it sends AYUp_answer
crash 1
mark m
run 3s
expect state 2 off
expect one group of 2
expect led
expect made <= 1 since m

story bully-C3-a-member-that-comes-to-be-above
# C3: a member's priority rises above its leader's, whose demotion takes a while.
algorithm bully
hosts 4
seeds 1..10
set priority 1 200
hook 1..4 500ms
start all
expect leader 1 within 10 beacons
run 1s
mark m
priority 3 250
expect leader 3 within 15 beacons
run 2s
expect no two leaders since m
expect made == 1 since m

story bully-C3-the-lower-leader-yields-first
# C3: a host above the leader starts. By the slides both would lead while the leader's demotion runs.
algorithm bully
hosts 4
seeds 1..10
set priority 4 200
hook 1..4 500ms
start 1..3
expect led within 10 beacons
run 2s
mark m
start 4
expect leader 4 within 20 beacons
run 2s
expect no two leaders since m
expect made == 1 since m
expect one group of 4

story bully-C4-a-candidate-that-was-not-heard
# C4: a host hears nothing of its coordinator, and no host receives its question. The hosts above answer
# when it calls them; otherwise it would form a group of its own.
algorithm bully
hosts 3
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
mark m
drop AYNormal from 1 to 3 count 100
drop AYUp from 3 count 100
run 1100ms
expect formed == 0 since m
clear
run 3s
expect one group of 3

story bully-C5-doubt-comes-before-death
# C5: the first in rank has missed the last beacon, and calls before the others' timeout. They suspect
# the coordinator, too, and halt; otherwise the first election of the caller has no other host.
algorithm bully
hosts 8
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
drop AYNormal from 1 to 2
run 250ms
crash 1
mark m
expect leader 2 within 7 beacons
expect formed == 1 since m

story bully-C6-who-follows-another-says-no
# C6: host 3 halts for its leader, and then for a host above it, which its leader cannot hear. By the
# slide it would accept both, and be counted by one that it does not follow.
algorithm bully
hosts 5
seeds 1..10
set priority 1 150
set priority 2 200
cut 1 - 2
cut 2 - 4..5
start 1 3 5
expect leader 1 within 8 beacons
expect members 1 3
run 2s
start 2
run 430ms
start 4           # 1 begins a long election for it: 5 is not heard any more
cut 5 > 1
delay SetCoord by 80ms from 1 to 3 count 9
expect members 1 2 within 700ms
expect same group 2 3 within 3 beacons

story bully-C7-nobody-stays-halted
# C7: a candidate that halted others dies, and the next one, too.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
set priority 3 140
start all
expect leader 1 within 8 beacons
run 2s
crash 2 when it sends EnterElection
crash 3 when it sends SetCoord
crash 1
run 4s
expect led
expect one group of 3 within 10 beacons

story bully-C8-halted-for-their-leader
# C8: host 3 halts for its leader, which holds an election, and then for a host above it, which its
# leader cannot hear. It names the leader that it leaves, though it is no member then; otherwise two
# would lead.
algorithm bully
hosts 5
seeds 1..10
set priority 1 150
set priority 2 200
cut 1 - 2
cut 2 - 4..5
start 1 3 5
expect leader 1 within 8 beacons
expect members 1 3
run 2s
start 2
run 430ms
start 4           # 1 begins a long election for it: 5 is not heard any more
cut 5 > 1
delay SetCoord by 80ms from 1 to 3 count 9
run 400ms
expect same group 2 3 within 3 beacons
expect leader 1
run 300ms
expect leader 1

story bully-C8-members-name-their-leader
# C8: members follow a higher host that their leader does not hear. They name the leader that they
# leave, and the new coordinator does not lead at once.
algorithm bully
hosts 4
seeds 1..10
set priority 1 150
set priority 4 200
start 1..3
expect leader 1 within 10 beacons
run 2s
cut 1 - 4
start 4
expect same group 2 4 within 10 beacons
expect role 4 none
run 300ms
expect role 4 none

story bully-a-dead-member-is-noticed
# Slide 24: a member that does not answer AYNormal causes an election of all without it; the role gets a
# new token.
algorithm bully
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 10 beacons
run 1s
mark m
crash 3
expect one group of 4 within 12 beacons
expect members 1 4
expect formed == 1 since m
expect made == 0 since m

story bully-a-split-heals
# Slide 24: hosts of another group answer AYNormal: the coordinator above holds one election of all.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
start all
expect leader 1 within 10 beacons
run 1s
split 1..3 | 4..6
expect groups 2 within 20 beacons
run 3s
mark m
heal
expect leader 1 within 15 beacons
expect one group of 6 within 15 beacons
expect made == 0 since m

story bully-cold-start-of-many
# Hosts that have heard a higher host's greeting wait a step: one host calls, once.
algorithm bully
hosts 20
seeds 1..10
start all
expect one group of 20 within 10 beacons
expect led
expect formed == 1
expect made == 1
expect election-datagrams < 8 a host

story bully-recovery-of-the-best
# Slide 20: a host that recovers bullies: the highest living host always leads.
algorithm bully
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 10 beacons
run 1s
crash 1
expect led within 8 beacons
run 2s
restart 1
expect leader 1 within 12 beacons
run 1s
expect one group of 5

story bully-renamed
# lists.md: as the story renamed, with bully, and at once: no member waits for its next message.
hosts 4
algorithm bully
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5s
expect one group of 4 within 5s
mark m
set name 3 web-3
set name 1 web-1
expect name of 3 at 1 web-3 within 300ms
expect name of 3 at 4 web-3 within 300ms
expect name of 1 at 4 web-1 within 300ms
expect regroupings == 0 since m
expect leader 1

story bully-token-after-a-demotion
# S5 by bully: a leadership after a demotion has a higher token, from an election of all (asserted).
hosts 3
algorithm bully
seeds 1..5
set priority 2 0
set priority 3 0
start 1
expect leader 1 within 3s
mark alone
resign 1 for 5s
expect role 1 none within 1 beacon
expect always role 1 none for 4s
expect role 1 leader within 1200ms
hold 1 on
expect role 1 none within 1 beacon
run 2s
hold 1 off
expect role 1 leader within 300ms
expect formed == 2 since alone
start 2 3
expect one group of 3 within 3s
expect led within 1s
run 1s
mark members
hold 1 on
expect leaders 0 within 1 beacon
run 1s
hold 1 off
expect leader 1 within 500ms
expect one group of 3
expect formed == 1 since members
run 1s
expect no change for 5s

story put-back-bully
# sessions.md, Put back, by bully: the same holds for a follower and for the leader.
algorithm bully
hosts 4
seeds 1..20
start 1..4
expect led within 5s
expect one group of 4 within 3s
run 2s
snapshot 1 2 3 4
run 36s
mark back
put-back 1
run 3s
expect anew >= 1 since back
expect one group of 4 within 3s
expect led
mark back
put-back 2
run 3s
expect anew >= 1 since back
expect one group of 4 within 3s
expect led
mark back
put-back 3
run 3s
expect one group of 4 within 3s
expect led
put-back 4
run 3s
expect one group of 4 within 3s
expect led
expect always one group of 4 for 5s
