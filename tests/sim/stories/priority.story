# SPDX-License-Identifier: Apache-2.0
#
# Priority and preempt: which host leads if several can.

story M12-may-lead-first
# M12: a coordinator of priority 0 does not keep a host of priority 100 without a leader.
hosts 5
set priority 1..4 0
start 1..4
run 4s
expect leaders 0
expect one group of 4
start 5
expect leader 5 within 15 beacons
expect one group of 5

story M15-agreement-about-preempt
# M15: hosts that disagree about preempt treat it as off, or each would be better than the other.
hosts 4
seeds 1..10
set preempt 1..2 on
set priority 1 200
split 1 2 | 3 4
start all
run 4s
heal
expect led within 15 beacons
expect problem 1 preempt-differs within 10 beacons
expect problem 3 preempt-differs within 10 beacons
mark m
run 5s
expect elections == 0 since m

story preempt
# With preempt on all hosts a better priority takes over from a working leader.
hosts 4
set preempt all on
set priority 1 200
start 2..4
expect led within 5 beacons
run 1s
mark m
start 1
expect leader 1 within 15 beacons
expect one group of 4
expect no two leaders since m
run 1s
expect no change for 50 beacons

# A member becomes better: the reason is the priority.
hook all 300ms
priority 3 250
expect leader 3 within 3s
expect reason 3 coordinator-preempted
expect reason 4 coordinator-preempted

story priority-0
# A host of priority 0 never leads, not even alone.
hosts 2
set priority 2 0
start all
expect leader 1 within 10 beacons
run 1s
crash 1
expect always no role 2 leader for 5s
expect state 2 normal
restart 1
expect leader 1 within 15 beacons
priority 1 0
expect leaders 0 within 2 beacons

story priority-changes
# Priority 0 on a leader is a resignation.
hosts 3
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
priority 1 0
expect leader 2 within 2 beacons
expect one group of 3 within 10 beacons

story priority-of-the-coordinator
# lists.md: all lists show the present priority of the coordinator, even if that changes while
# it coordinates. Without the rule all lists keep the priority that formed the group.
hosts 4
seeds 1..20
loss 50
set priority 1 200
start 1..3
expect leader 1 within 5s
expect one group of 3 within 5s
mark m0
priority 1 90
expect priority of 1 at 1 90
expect priority of 1 at 2 90 within 3s
expect priority of 1 at 3 90 within 3s

# A reload does the same, and the newcomer's list has it.
set priority 1 150
expect priority of 1 at 1 150
expect regroupings == 0 since m0
expect leader 1
start 4
expect one group of 4 within 5s
expect priority of 1 at 4 150 within 3s
expect priority of 1 at 2 150 within 3s
mark m

# The place of a member follows its priority; the coordinator stays the first.
priority 2 250
expect priority of 2 at 1 250 within 5s
expect priority of 2 at 2 250 within 3s
expect priority of 2 at 3 250 within 3s
expect priority of 2 at 4 250 within 3s
expect priority of 1 at 2 150
expect regroupings == 0 since m
loss 0
stop 1
expect leader 2 within 5s
expect one group of 3 within 5s

# The same holds after a merge.
priority 2 120
expect priority of 2 at 4 120 within 3s
split 2 3 | 4
expect leaders 2 within 10s
priority 2 110
priority 4 80
heal
expect led within 10s
expect one group of 3 within 10s
expect priority of 2 at 2 110 within 3s
expect priority of 2 at 3 110 within 3s
expect priority of 2 at 4 110 within 3s
expect priority of 4 at 2 80 within 3s

story priority-while-forming
# lists.md: the coordinator's priority changes after the group was begun, and before it works.
hosts 3
seeds 1..10
set priority 1 200
start all
delay Ready_answer by 100ms count 20
run 640ms
priority 1 190
priority 2 60
expect state 1 reorganizing
expect leader 1 within 5s
clear
expect priority of 1 at 3 190 within 3s
expect priority of 2 at 3 60 within 3s

story priority-lowered-and-preempted
# A leader whose priority is lowered yields to a better host; all hosts report the priority as reason.
hosts 3
set preempt all on
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5s
expect one group of 3 within 5s
priority 1 50
expect leader 2 within 3s
expect reason 2 coordinator-preempted
expect reason 3 coordinator-preempted

story coordinator-fit-again
# lists.md: a host that may not lead forms a group. When it may, it leads, and all hosts show
# that it may, and that it may not while its demotion runs. Without the rule the first value stays.
hosts 3
seeds 1..10
set priority all 0
start 1
run 2s
start 2 3
run 2s
expect leaders 0
expect one group of 3
expect no fit 1 at 3
priority 1 100
expect leader 1 within 3s
expect fit 1 at 1
expect fit 1 at 3 within 3s
expect unfit 3 of 1 none within 3s
hook 1 2s
hold 1 on
expect no fit 1 at 1
expect no fit 1 at 3 within 1s
expect unfit 3 of 1 held within 1s

story third-host-without-preempt
# M15: two hosts would let the higher priority take over, a third would not: none does.
hosts 3
seeds 1..5
set priority 1 200
set preempt 1 on
set preempt 2 on
start all
expect leader 1 within 5 beacons
run 2s
set priority 2 250
expect always role 1 leader for 5s
expect problem 1 preempt-differs
