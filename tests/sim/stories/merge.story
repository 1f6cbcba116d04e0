# SPDX-License-Identifier: Apache-2.0
#
# Merges: two or more groups become one. The stories merge-dies-* let the coordinator that merges two
# groups die in the middle: the others agree soon, with few groups formed meanwhile.

story F02-old-invitation-and-ready
# F2: Invitations and Readys of groups that are over arrive late and twice; no host acts on them.
hosts 5
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect led within 10 beacons
run 1s
delay Invitation by 900ms from 2 count 8
delay Ready by 700ms from 2 count 8
duplicate Invitation count 200
duplicate Ready count 200
crash 1
expect led within 12 beacons
run 10 beacons
mark m
expect no change for 20 beacons
replay Ready from 2
replay Invitation from 2
expect no change for 10 beacons

story F05-two-refuse-each-other
# F5: two lone coordinators of equal rank meet. Periods vary and a refusal is sent, so they merge soon.
hosts 2
seeds 1..40
split 1 | 2
start all
run 4s
heal
expect led within 5 beacons
expect one group of 2

story F06-look-again-after-waiting
# F6: three coordinators meet at once. After its wait each looks again: one merge, not three.
hosts 9
seeds 1..40
split 1..3 | 4..6 | 7..9
start all
run 4s
mark m
heal
expect led within 5 beacons
run 2s
expect in total formed <= 48 since m
expect made == 0 since m

story F07-rank-waits-are-capped
# F7: sixteen lone coordinators meet; waiting by rank has a bound.
hosts 16
seeds 1..10
split 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16
start all
run 4s
expect leaders 16
mark m
heal
expect led within 20 beacons
expect made == 0 since m

story F13-stale-timers-in-a-merge
# F13: the inviter stalls in the middle of a merge, for about as long as its windows are.
hosts 6
seeds 1..30
split 1..3 | 4..6
start all
run 4s
stall 1 80ms when it sends Invitation
stall 4 80ms when it sends Invitation
stall 1 130ms when it sends Ready
stall 4 130ms when it sends Ready
heal
expect led within 15 beacons
run 2s
expect one group of 6

story F15-a-failed-merge-costs-no-role
# F15: two leaders fail to merge because no Accept arrives: both keep their roles.
hosts 5
set priority 1 200
split 1..3 | 4 5
start all
run 4s
expect role 1 leader
drop Accept from 4 count 100000
drop Accept from 5 count 100000
drop Hello count 100000
heal
expect always role 1 leader for 10s

story answer-overtaken-by-priority
# M6: the sender of an answer becomes the better host: the worse one still invites, and is declined.
hosts 2
seeds 1..10
set quorum all 2
set priority 1 50
split 1 | 2
start all
run 4s
expect leaders 0
delay AYCoord_answer by 400ms from 1 count 100
heal
run 300ms
drop AYCoord from 1 to 2 count 4
priority 1 200
expect always no role 2 leader for 3s
expect leader 1

story larger-group-keeps-its-leader
# Two groups of different size merge: the larger one's leader stays, whatever the priorities.
hosts 7
seeds 1..10
set priority 1 250
set priority 3 10
set priority 4..7 5
split 1 2 | 3..7
start all
run 4s
expect role 1 leader
expect role 3 leader
mark m
heal
expect leader 3 within 5 beacons
expect one group of 7 within 1 beacon
expect role 1 follower
run 2s
expect leader 3
expect made == 0 since m

story merge-dies-after-invitation
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 when it sends Invitation
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 80 since m
run 20 beacons
expect no change for 20 beacons

story merge-dies-after-ready
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 when it sends Ready
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 80 since m
run 20 beacons
expect no change for 20 beacons

story merge-dies-at-first-accept
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 when it receives Accept
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 80 since m
run 20 beacons
expect no change for 20 beacons

story merge-dies-at-first-ready-answer
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 when it receives Ready_answer
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 80 since m
run 20 beacons
expect no change for 20 beacons

story merge-dies-at-third-accept
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 when it receives Accept skip 2
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 80 since m
run 20 beacons
expect no change for 20 beacons

story merge-dies-at-third-ready-answer
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 when it receives Ready_answer skip 2
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 80 since m
run 20 beacons
expect no change for 20 beacons

story merge-dies-before-first-beacon
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 before it sends AYCoord
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 80 since m
run 20 beacons
expect no change for 20 beacons

story merge-dies-before-invitation
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 before it sends Invitation
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 80 since m
run 20 beacons
expect no change for 20 beacons

story merge-dies-before-ready
hosts 7
seeds 1..20
set priority 1 200
set priority 2 150
split 1..4 | 5..7
start all
run 4s
expect role 1 leader
expect leaders 2
mark m
heal
crash 1 before it sends Ready
expect state 1 off within 10 beacons
expect led within 20 beacons
expect one group of 6 within 10 beacons
expect in total formed <= 84 since m
run 20 beacons
expect no change for 20 beacons

story merge-loser-dies
# The coordinator that is invited dies after it has forwarded the Invitation.
hosts 6
seeds 1..20
split 1..4 | 5 6
start all
run 4s
mark m
crash 5 when it sends Accept
crash 6 when it sends Accept
heal
run 3s
expect one group of 4 within 10 beacons
expect led

story answers-also-go-to-all
# A split LAN heals, and for a second no unicast gets from the hosts of one part to those of the
# other: the kernel waits for an answer to its first question for their addresses. Answers that must
# arrive go to all, too.
hosts 5
seeds 1..20
set priority 1 200
start all
expect led within 10 beacons
run 2s
split 1 2 | 3..5
run 4s
expect leaders 2
mark m
heal
cut unicast 1 > 3..5
expect led within 2 beacons
expect one group of 5
run 1s
join unicast 1 > 3..5
expect always one group of 5 for 3s
expect made == 0 since m

story members-with-longer-beacons
# M18: 3 + 3 hosts. Host 1 is better by its priority, and its members speak every 400 ms, which are
# eight of its own beacons: they count as long as they answer its probes.
hosts 6
seeds 1..40
set priority 1 200
set beacon 1 50ms
set dead_after 1 600ms
start all
expect leader 1 within 20 beacons
run 2s
split 1..3 | 4..6
run 6s
heal
run 3s
expect one group of 6
expect leader 1

story missing-hosts-with-a-quorum
# M17: with beacons so short that the answers would come after the next one, they are not doubled,
# because each member would be asked alone as well.
hosts 12
seeds 1..4
set priority 1 200
set beacon all 100ms
set quorum all 7
start all
expect led within 200 beacons
run 3s
crash 12
run 3s
mark m
run 20s
expect in total sent AYCoord <= 1660 since m
