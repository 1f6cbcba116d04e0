# SPDX-License-Identifier: Apache-2.0
#
# preempt_delay_ms: a better host that comes back waits before it takes the role from a leader that
# works (merge.md, Rank; role.md, Bars).

story preempt-delay
# A host that has just booted is no better than a leader that works: the role moves after the delay,
# once, and not before.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 20s
set priority 1 200
set priority 2 150
start 2..4
expect leader 2 within 5 beacons
run 1s
mark m
start 1
expect one group of 4 within 15 beacons
expect role 1 follower within 5 beacons
expect bar 1 preempt-delay
expect fit 1 at 2
expect always no role 1 leader for 18s
expect elections == 0 since m
expect leader 1 within 3s
expect reason 3 coordinator-preempted
expect bar 1 none
expect one group of 4 within 15 beacons
expect made == 1 since m
expect no two leaders since m
expect no change for 50 beacons

story preempt-delay-quorum
# The same where members answer each beacon, and a lost carrier is the reason for which it was away.
hosts 3
seeds 1..10
set preempt all on
set preempt_delay all 20s
set quorum all 2
set priority 1 200
start all
expect leader 1 within 5s
run 2s
link 1 down
run 5s
expect leaders 1
expect role 1 none
link 1 up
expect one group of 3 within 10s
expect role 1 follower
expect always no role 1 leader for 18s
expect leader 1 within 4s

story preempt-delay-leader-dies
# The delay protects a leader that works: without one the better host leads as soon as any other.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 600s
set priority 1 200
set priority 2 150
start 2..4
expect leader 2 within 5s
start 1
expect one group of 4 within 5s
expect role 1 follower
run 3s
expect leader 2
crash 2
expect leader 1 within 2s
expect bar 1 none
expect one group of 3 within 5s

story preempt-delay-leader-resigns
# Resigned, stopped, held, or lowered to priority 0: the better host is the next leader.
hosts 4
seeds 1..5
set preempt all on
set preempt_delay all 600s
set priority 1 200
set priority 2 150
start 2..4
expect leader 2 within 5s
start 1
expect one group of 4 within 5s
run 3s
resign 2
expect leader 1 within 2s
expect one group of 4 within 5s

# The better host resigns in its turn: its own bar ends, and it waits.
run 35s
resign 1 for 5s
expect leader 2 within 2s
expect one group of 4 within 5s
run 10s
expect bar 1 preempt-delay
hold 2 on
expect leader 1 within 2s
hold 2 off
run 3s
expect leader 1
stop 1
expect leader 2 within 2s
run 1s
start 1
expect one group of 4 within 5s
run 2s
expect role 1 follower
stop 2
expect leader 1 within 2s

story preempt-delay-leader-cut-off
# The leader is cut off with nobody: the rest is led by the better host at once. The heal is a merge of
# two leaders: it waits for nothing, and the larger part keeps its leader.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 600s
set priority 1 200
set priority 2 150
start 2..4
expect leader 2 within 5s
start 1
expect one group of 4 within 5s
run 3s
split 2 | 1 3 4
expect role 1 leader within 4s
run 4s
expect leaders 2
heal
expect leader 1 within 10 beacons
expect one group of 4 within 10 beacons
mark m
run 10s
expect changes == 0 since m

story preempt-delay-merge
# A better host that was alone, and led there, comes back like any other host: one leader at once,
# that of the larger part, and the delay counts from the merge.
hosts 4
seeds 1..20
set preempt all on
set preempt_delay all 20s
set priority 1 200
start all
expect leader 1 within 5s
run 30s
split 1 | 2..4
expect leaders 2 within 5s
run 30s
heal
expect led within 10 beacons
expect one group of 4 within 10 beacons
mark m
expect role 1 follower
expect always no role 1 leader for 18s
expect leader 1 within 4s
expect no two leaders since m

story preempt-delay-merge-equal
# If both parts have one size, the better leader stays. No host waits.
hosts 4
seeds 1..20
set preempt all on
set preempt_delay all 600s
set priority 1 200
set priority 2 150
start 2..4
expect leader 2 within 5s
start 1
expect one group of 4 within 5s
run 1s
split 1 3 | 2 4
expect leaders 2 within 5s
run 3s
heal
expect leader 1 within 10 beacons
expect one group of 4 within 10 beacons
mark m
run 10s
expect changes == 0 since m
expect no two leaders since m

story preempt-delay-other-hosts
# Two groups in which not all hosts have the delay: the hosts that merge agree on the better one, and
# two leaders never stay.
hosts 5
seeds 1..20
set preempt all on
set preempt_delay 1 20s
set priority 1 200
set priority 2 150
split 1 3 | 2 4 5
start all
expect leaders 2 within 10s
run 2s
heal
expect leader 2 within 10 beacons
expect one group of 5 within 10 beacons
expect always leader 2 for 18s
expect leader 1 within 4s

story preempt-delay-reload
# A reload moves the end of the delay, not its beginning.
hosts 3
seeds 1..5
set preempt all on
set preempt_delay all 600s
set priority 1 200
start 2..3
expect led within 5s
start 1
expect one group of 3 within 5s
run 20s
expect bar 1 preempt-delay
set preempt_delay 1 30s
expect always no role 1 leader for 8s
expect bar 1 preempt-delay
expect leader 1 within 4s
stop 1
expect led within 2s
set preempt_delay 1 600s
start 1
expect one group of 3 within 5s
run 5s
expect role 1 follower
set preempt_delay 1 0s
expect leader 1 within 1s
expect bar 1 none

story preempt-delay-flap
# A better host that comes and goes costs one role for each delay at most.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 20s
set priority 1 200
start 2..4
expect led within 5s
mark m
start 1
run 15s
crash 1
run 3s
start 1
run 15s
stop 1
run 3s
start 1
run 15s
stall --host 1 3s
run 18s
expect no ever led 1
cut 1 - 2..4
run 3s
heal
expect led within 15 beacons
expect one group of 4 within 15 beacons
expect always no role 1 leader for 15s
expect leader 1 within 10s

story preempt-delay-flap-alone
# The same where the better host leads alone while it is cut off: the others do not lose their
# leader by the heal.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 20s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5s
run 2s
flap 1 - 2..4 every 8s times 4
run 17s
mark m
run 25s
expect always role 2 leader for 10s
expect leader 1 within 25s

story preempt-delay-of-each
# Two better hosts, one after the other: each has its own delay, and the role is not given to the one
# that still waits when the other one takes it.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 20s
set priority 1 200
set priority 2 150
start 3..4
expect led within 5s
start 2
expect one group of 3 within 5s
run 10s
start 1
expect one group of 4 within 5s
mark m
expect leader 2 within 12s
expect one group of 4 within 5s
expect bar 1 preempt-delay
expect always leader 2 for 6s
expect leader 1 within 6s
expect made == 2 since m

story preempt-delay-of-each-at-once
# Both delays are over when the leader learns of it: the best one takes the role, and it moves once.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 20s
start all
expect led within 5s
run 30s
mark m
priority leader 50
expect led within 3s
expect one group of 4 within 3s
run 5s
expect made == 1 since m

story preempt-delay-priority
# A priority that is raised is an order: a host that has been in the group for long enough takes over
# at once, another one waits for the rest of its own delay.
hosts 4
seeds 1..5
set preempt all on
set preempt_delay all 20s
set priority 1 150
start 1..3
expect leader 1 within 5s
run 25s
priority 2 200
expect leader 2 within 1s
expect one group of 3 within 5s
start 4
expect one group of 4 within 5s
run 10s
priority 4 250
expect bar 4 preempt-delay within 1s
expect always leader 2 for 5s
expect leader 4 within 6s

story preempt-delay-priority-of-the-leader
# The leader's priority falls below that of a host that waits: it goes on to wait.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 20s
set priority 1 250
set priority 2 200
set priority 3..4 60
start 1 3 4
expect leader 1 within 5s
start 2
expect one group of 4 within 5s
run 3s
expect bar 2 none
priority 1 150
expect bar 2 preempt-delay within 2s
expect always leader 1 for 12s
expect leader 2 within 8s

story preempt-delay-comes-along
# The group of a host that waits merges with another one. The host has not been away, so it does not
# wait longer; nor does it if its group is formed anew meanwhile.
hosts 5
seeds 1..10
set preempt all on
set preempt_delay all 20s
set priority 1 200
set priority 2 150
split 1..3 | 4..5
start 2..5
expect leaders 2 within 5s
start 1
run 15s
expect bar 1 preempt-delay
heal
expect one group of 5 within 5s
expect bar 1 preempt-delay
expect leader 2
expect leader 1 within 7s

story preempt-delay-dropped
# A host that was silent for so long that its leader dropped it has left and come back.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 20s
set priority 1 200
start 2..4
expect led within 5s
start 1
expect one group of 4 within 5s
run 15s
cut 1 > 2..4
run 1900ms
join 1 > 2..4
expect one group of 4 within 5s
expect always no role 1 leader for 17s
expect leader 1 within 5s

story preempt-delay-cold-start
# All hosts start at the same time: no leader works, and the best host leads as soon as without the
# delay.
hosts 4
seeds 1..10
set preempt all on
set preempt_delay all 600s
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 4 within 2s
