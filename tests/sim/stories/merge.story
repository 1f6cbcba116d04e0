# SPDX-License-Identifier: Apache-2.0
#
# Merges: two or more groups become one.

story F02-old-invitation-and-ready
# F2: Invitations and Readys of groups that are over arrive late and twice; nobody acts on them.
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
# F5: two lone coordinators of equal worth meet: periods jitter and a refusal is said, so they never
# miss each other for long.
hosts 2
seeds 1..40
split 1 | 2
start all
run 4s
heal
expect led within 5 beacons
expect one group of 2

story F06-look-again-after-waiting
# F6: three coordinators meet at once. Whoever waited for its turn looks again: one merge, not
# three.
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
# F7: sixteen lone coordinators meet; waiting by rank has an end.
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
# F13: the inviter stands still in the middle of a merge, for about as long as its windows are.
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
# F15: two leaders try to merge and cannot, for no Accept arrives: both keep their roles, for nobody
# took them over.
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
# M6: an answer is on its way while its sender becomes the better one: the worse coordinator still
# invites, and is declined.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that merges two groups dies in the middle: who is left agrees soon, with few groups
# on the way.
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
# The coordinator that is invited dies when it has forwarded the Invitation.
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
