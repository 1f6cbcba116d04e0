# SPDX-License-Identifier: Apache-2.0
#
# Counters, tokens and minimum tokens rise, but not without bound, and shut no host out.

story F11-token-rises
# F11: two sides of a split lead with different tokens; the merged group's is above both. The smaller
# side has the higher token at first, because its leader resigned and formed its group anew.
hosts 5
set priority 1 200
set priority 2 0
set priority 3 150
start all
expect leader 1 within 5 beacons
run 1s
split 1 2 | 3 4 5
run 4s
expect leaders 2
expect token of 3 > token of 1
resign 1 for 300ms
run 2s
resign 1 for 300ms
run 2s
expect leaders 2
expect token of 1 > token of 3
heal
expect one group of 5 within 10 beacons
expect leader 3
expect token of 3 > token of 1
run 2s
crash 3
expect leader 1 within 10 beacons
expect token of 1 > token of 3

story F12-own-counter-in-the-maximum
# F12: the side with the lower counter wins a merge and must not give the others a lower token.
hosts 6
seeds 1..10
set priority 4..6 150
set quorum all 1
start all
expect led within 5 beacons
run 1s
split 1 2 | 3 4 5 6
run 4s
stop 1
run 2s
stop 2
restart 1
run 4s
restart 2
run 2s
heal
expect led within 20 beacons
expect no change for 20 beacons

story M11-counter-in-every-message
# M11: a side with a much higher counter appears. One attempt forms a group above it.
hosts 5
seeds 1..10
split 1..3 | 4 | 5
start all
run 3s
crash 4
restart 4
run 3s
crash 4
restart 4
run 3s
stop 5
restart 5
run 3s
mark m
heal
expect led within 8 beacons
run 2s
expect elections <= 2 since m

story counter-far-ahead
# A host starts with a counter that is above the others' by more than their buckets hold. It joins their
# group. They reach a group that it forms later after a while, and no host leads next to it meanwhile.
hosts 4
seeds 1..40
clocks 100
reserve 3 3000000
set priority 3 200
start 1 2 4
expect led within 5 beacons
run 1s
start 3
expect one group of 4 within 8 beacons
run 1s
mark m
stop leader
expect leader 3 within 12 beacons
run 10s
expect leader 3
expect no two leaders since m
expect one group of 3 within 6s
expect no two leaders since m

story counter-half
# counter.md: half of all counters are used, 2^38. The hosts lead as before, and each reports it.
hosts 3
seeds 1..10
reserve 1 274877906944
reserve 2 274877906944
reserve 3 274877906944
start all
expect led within 8 beacons
expect one group of 3
expect problem 1 counter-half
expect problem 2 counter-half
expect problem 3 counter-half
expect no problem 1 cannot-form
mark m
crash leader
expect led within 12 beacons
expect made == 1 since m

story counter-late-member
# A host was off while the counter was pushed. It joins the old group at once, although its own counter
# is far behind. It follows a successor once it has caught up, and does not lead before.
hosts 4
seeds 1..3
clocks 100
set priority 4 50
start 1..3
expect led within 8 beacons
run 1s
insider Hello every 1ms
run 60s
insider off
start 4
expect one group of 4 within 6 beacons
run 1s
mark m
crash leader
expect leaders 1 within 12 beacons
run 5s
expect leaders 1
expect state 4 down
expect agree within 62s
expect no two leaders since m

story counter-none-left
# counter.md, BEGINNING ANEW in electd(8): no counter is left, 2^39 - 1 is used. No host forms a group or
# leads, and each reports it. After all have stopped and lost their state they begin with low counters,
# and report only that the state is lost.
hosts 3
seeds 1..10
reserve 1 549755813887
reserve 2 549755813887
reserve 3 549755813887
start all
expect problem 1 cannot-form within 10s
expect problem 2 cannot-form within 1s
expect problem 3 cannot-form within 1s
expect always leaders 0 for 10s
expect formed == 0
expect problem 1 cannot-form
expect problem 1 counter-half
stop 1
stop 2
stop 3
run 1s
lose-state 1
lose-state 2
lose-state 3
start all
expect led within 12 beacons
expect one group of 3
expect no problem 1 cannot-form
expect no problem 2 counter-half
expect no problem 3 counter-half
expect problem 1 state-lost
expect formed == 1
run 3s
mark m
crash leader
expect led within 12 beacons
expect made == 1 since m

story counter-out-of-reach
# A host starts with a counter far above all others. No host is refused for ever, and none leads next to
# it. The hosts that cannot reach its counter wait while they hear it, and go on when it is gone.
hosts 3
reserve 3 400000000000
set priority 3 200
start all
expect leader 3 within 15 beacons
run 20s
expect leader 3
expect state 1 down
expect state 2 down
crash 3
expect same group 1 2 within 15 beacons
expect leaders 1 within 10 beacons

story counter-pushed
# C1: an insider that answers Challenges pushes the counter for a minute. No group changes; a leader
# that dies is replaced as usual; a host that was off joins within the length of the push.
hosts 6
seeds 1..3
clocks 100
start 1..5
expect led within 8 beacons
run 2s
mark m
insider Hello every 500us
run 1s
expect problem leader counter-pushed
run 29s
expect changes == 0 since m
expect writes <= 60 a host since m
crash leader
expect one group of 4 within 6 beacons
expect led within 1 beacon
expect problem leader counter-pushed
run 29s
expect led
expect writes <= 120 a host since m
insider off
start 6
expect one group of 5 within 62s
expect led
crash 6
run 100ms
restart 6
expect one group of 5 within 8 beacons
mark n
run 3s
crash leader
expect one group of 4 within 6 beacons

story counter-pushed-apart
# The first counters of new hosts are as far apart as those of real ones. While the counter is pushed a
# leader dies: its successor is within reach of the others, however high its own counter was.
hosts 4
seeds 1..3
clocks 100
reserve 1 new 20000
reserve 2 new 400000
reserve 3 new 1000000
reserve 4 new 700000
start all
expect led within 8 beacons
run 2s
insider Hello every 500us
run 10s
crash leader
expect one group of 3 within 6 beacons
expect led within 1 beacon
insider off

story counter-pushed-two
# Two hosts, and an insider that claims a group far ahead: the survivor leads after lone_hold.
hosts 2
seeds 1..3
clocks 100
start all
expect led within 15 beacons
run 1s
insider AYCoord every 5ms
run 8s
mark m
crash leader
expect led within 12 beacons
expect writes <= 20 a host since m

story counter-pushed-ways
# Counters are pushed by a minimum token, a coordinator's group, an Invitation of the best host,
# members' questions, and in steps. No group changes and no leader yields.
hosts 4
seeds 1..3
clocks 100
start all
expect led within 8 beacons
run 2s
mark m
insider Hello floor every 5ms
run 5s
insider AYCoord every 5ms
run 8s
insider Invitation every 5ms
run 5s
insider AYThere every 5ms
run 5s
insider Hello by 5000 every 5ms
run 5s
expect changes == 0 since m
insider AYCoord every 5ms
run 1s
crash leader
expect one group of 3 within 6 beacons
expect led within 1 beacon
insider off
run 8s
expect agree

story counter-restart-after
# A member that restarts after a push returns as usual, even into a group formed meanwhile, because its
# disk has reserved the counters already.
hosts 5
seeds 1..3
clocks 100
set priority 5 50
start all
expect led within 8 beacons
run 1s
insider Hello every 1ms
run 60s
insider off
crash 5
run 1s
crash leader
expect one group of 3 within 6 beacons
start 5
expect one group of 4 within 8 beacons

story counter-two-hellos
# C2: two Hellos to one host. It advances the others' counters as far as its own: no split remains.
hosts 4
seeds 1..3
clocks 100
start all
expect led within 8 beacons
run 2s
mark m
insider Hello to leader times 1
run 300ms
insider Hello to leader times 2
run 10s
expect agree
expect changes == 0 since m
split 1 2 | 3 4
run 5s
insider Hello to 1 times 1
run 300ms
insider Hello to 1 times 2
run 1s
heal
expect agree within 10s
expect led
crash leader
expect one group of 3 within 6 beacons

story counter-unproven
# An unverified message advances no counter: an attacker that answers no Challenge pushes, and a host
# whose disk is far behind joins at once.
hosts 4
seeds 1..3
start 1..3
expect led within 8 beacons
run 1s
mark m
insider Hello silent every 1ms
run 5s
insider AYCoord silent every 1ms
run 5s
insider Invitation silent every 1ms
run 5s
insider off
expect changes == 0 since m
expect no problem leader counter-pushed
run 2s
crash leader
expect one group of 2 within 6 beacons
start 4
expect one group of 3 within 8 beacons

story floor-outlives-restart
# M4: host 3 was in a later group, restarts, and meets only the earlier group. It does not join that
# group; a new one is formed above its minimum token.
hosts 3
seeds 1..5
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
split 1 | 2 3
expect role 2 leader within 10 beacons
run 2s
crash 3
mark m
split 1 3 | 2
run 100ms
start 3
expect role 3 follower within 10 beacons
expect formed == 1 since m

story high-floor-says-nothing
# merge.md: two new hosts invite a third whose minimum token is as high as their group, and whose Hello was
# lost. It declines, and is invited again above its minimum token.
hosts 3
seeds 1..10
set priority 1 200
start 2
run 3s
crash 2
drop Hello from 2 count 100
delay Accept by 5ms from 3
start all
expect one group of 3 within 5 beacons

story t01-token-after-a-demotion
# S5, electd-hooks(7): each leadership after a demotion has a higher token, even if the same host leads
# again and nothing else has changed. The checker compares the tokens; the story checks how the host
# comes to lead again, how soon, and that it forms one group for it.
hosts 3
seeds 1..5
set priority 2 0
set priority 3 0
set dead_after all 1s
start 1
expect leader 1 within 3s

# Alone: the leader resigns, is held, becomes sick, has priority 0, its disk fails.
mark alone
resign 1 for 5s
expect role 1 none within 1 beacon
expect always role 1 none for 4s
expect role 1 leader within 1100ms
hold 1 on
expect role 1 none within 1 beacon
run 2s
hold 1 off
expect role 1 leader
expect formed == 2 since alone
priority 1 0
expect role 1 none within 1 beacon
priority 1 100
expect role 1 leader
disk 1 failing
hold 1 on
expect role 1 none within 1 beacon
run 1s
disk 1 well
hold 1 off
expect role 1 leader within 10s
report 1 web sick fall 1 rise 1 stale 1h
expect role 1 none within 1 beacon
run 1s
report 1 web well fall 1 rise 1 stale 1h
expect role 1 leader within 3s
expect formed == 5 since alone

# The leader stalls.
stall 1 2s
run 2s
expect role 1 none within 100ms
expect role 1 leader within 3s
expect formed == 6 since alone

# The members may not lead: they follow the new group, and are led again as soon as the host leads.
start 2 3
expect one group of 3 within 3s
expect led within 1s
mark members
hold 1 on
expect leaders 0 within 1 beacon
run 1s
hold 1 off
expect leader 1 within 300ms
expect one group of 3 within 300ms
expect role 2 follower within 1 beacon
expect role 3 follower within 1 beacon
expect formed == 1 since members
stall 1 2s
run 2s
expect leaders 0 within 100ms
expect leader 1 within 2s
expect one group of 3
expect role 2 follower within 1 beacon
expect role 3 follower within 1 beacon
run 100ms
expect no change for 5s

# The carrier is lost and returns.
link 1 down
expect role 1 none
run 500ms
link 1 up
expect leader 1 within 10s
expect one group of 3 within 5s
run 2s

# The quorum is lost, and met again.
set quorum all 3
run 1s
mark quorum
cut 3 - 1
expect role 1 none within 2s
join 3 - 1
expect leader 1 within 5s
expect one group of 3 within 5s
run 1s
expect no change for 5s
