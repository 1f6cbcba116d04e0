# SPDX-License-Identifier: Apache-2.0
#
# The address of the leader: a holder of rank address takes it before the hooks run, and removes it
# after them and before leadership passes on.

story address-follows-the-leader
hosts 4
seeds 1..20
set priority 1 200
hook all 200ms
promotion all 100ms
address all take 20ms free 20ms
start all
expect leader 1 within 5 beacons
expect address 1 within 20ms
expect no promoted 1
expect promoted 1 within 100ms
resign 1
expect no address 1 within 220ms
expect led within 3 beacons
expect no leader 1
run 1s
expect address leader
stop leader
expect led within 3 beacons
run 1s
expect address leader

story address-hook-hangs
# The hooks hang at a resign: the address goes 200 ms before the time for the demotion is over.
hosts 3
seeds 1..20
set priority 1 200
set yield_timeout all 3s
hook 1 60s
address all take 20ms free 20ms
start all
expect leader 1 within 5 beacons
run 1s
mark m
resign 1
run 2790ms
expect address 1
run 40ms
expect no address 1
expect leader 1
expect no leader 1 within 200ms
expect no two leaders since m
run 1s
expect address leader

story address-merge
# Two leaders merge: the loser's hooks end, and its address goes, before there is one leader.
hosts 5
seeds 1..20
hook all 300ms
address all take 20ms free 20ms
split 1 2 | 3 4 5
start all
run 4s
expect leaders 2
heal
expect led within 12 beacons
run 1s
expect address leader

story address-hangs-at-a-promotion
# The hooks begin without the address after a second.
hosts 3
seeds 1..20
set priority 1 200
promotion all 10ms
address all take 20ms free 20ms
address 1 hangs
start all
expect leader 1 within 5 beacons
expect always no promoted 1 for 999ms
expect promoted 1 within 20ms
expect no address 1

story address-dies-at-a-promotion
# The hooks do not wait for a holder that has died.
hosts 3
seeds 1..20
set priority 1 200
promotion all 10ms
address all take 500ms free 20ms
start all
expect leader 1 within 5 beacons
run 100ms
expect no promoted 1
address 1 dies
expect promoted 1 within 15ms
# Another one comes late: it takes the address, and answers for the first one.
run 1s
address 1 take 20ms free 20ms
expect address 1 within 25ms
resign 1
expect no leader 1 within 100ms
run 1s
expect address leader

story address-dies-and-is-waited-for
# Nobody knows what a holder that died has left behind: its time must be over.
hosts 3
seeds 1..10
set priority 1 200
set yield_timeout all 3s
address all take 20ms free 20ms
start all
expect leader 1 within 5 beacons
run 1s
address 1 dies
resign 1
run 2990ms
expect leader 1
expect no leader 1 within 20ms

story address-comes-late
# A holder that comes while this host leads holds nothing up.
hosts 3
seeds 1..20
set priority 1 200
promotion all 10ms
start all
expect leader 1 within 5 beacons
expect promoted 1 within 15ms
address all take 20ms free 20ms
expect address 1 within 25ms
resign 1
expect no leader 1 within 30ms
run 1s
expect address leader

story address-killed
# The process of electd is killed: the holder removes the address by itself, and the next leader waits.
hosts 3
seeds 1..20
set priority 1 200
hook all 300ms
address all take 20ms free 20ms
start all
expect leader 1 within 5 beacons
run 1s
kill 1
expect no address 1 within 21ms
expect led within 10 beacons
run 1s
expect address leader

story AD1-cut-off
# A leader is cut off, with a quorum: it removes the address before the other side has it.
hosts 5
seeds 1..25
set quorum all 3
set priority 1 200
set priority 3 150
address all take 0ms free 20ms
start all
expect leader 1 within 6 beacons
run 1s
expect address 1
mark m
split 1 2 | 3 4 5
expect address 3 within 2s
expect leader 3
expect no two leaders since m
heal
run 5s
expect one group of 5
expect address leader

story AD1-electd-frozen
# electd alone freezes: its holder removes the address at the deadline, although the role lasts.
hosts 5
seeds 1..25
set quorum all 3
set priority 1 200
set priority 2 150
address all take 0ms free 20ms
start all
expect leader 1 within 6 beacons
run 1s
expect address 1
mark m
stall 1 3s
expect two leaders since m within 2s
expect address 2
run 5s
expect one group of 5
expect address leader

story AD1-all-frozen
# All processes of the leader freeze: the kernel removes the address when the lease is over, at most
# 2.1 s after the last refresh. When they run on, nothing is left to remove.
hosts 5
seeds 1..25
set quorum all 3
set priority 1 200
set priority 2 150
address all take 0ms free 20ms
start all
expect leader 1 within 6 beacons
run 1s
mark m
address 1 hangs
stall 1 4s
expect two leaders since m within 2s
run 1ms
expect no address 2
expect address 2 within 2100ms
run 2s
address 1 runs
expect always address 2 for 100ms
run 5s
expect one group of 5
expect address leader

story AD1-frozen-briefly
# All processes of the leader freeze until another host leads: the address goes when they run on.
hosts 5
seeds 1..25
set quorum all 3
set priority 1 200
set priority 2 150
address all take 0ms free 20ms
start all
expect leader 1 within 6 beacons
run 1s
mark m
address 1 hangs
stall 1 3s
expect two leaders since m within 2s
run 1ms
expect no address 2
address 1 runs
run 20ms
expect address 2
run 5s
expect address leader

story AD1-frozen-while-yielding
# electd alone freezes while its hooks demote: the address goes at the deadline, with work that hangs.
hosts 5
seeds 1..25
set quorum all 3
set priority 1 200
set priority 2 150
set yield_timeout all 3s
hook 1 60s
address all take 0ms free 20ms
start all
expect leader 1 within 6 beacons
run 1s
mark m
resign 1
run 300ms
expect address 1
stall 1 3s
expect two leaders since m within 2s
expect address 2

story AD1-paused
# The leader's machine is paused, with its kernel, for longer than a lease: the time of the lease does
# not pass, and electd-address removes the address when it runs on, although electd is frozen still.
hosts 5
seeds 1..25
set quorum all 3
set priority 1 200
set priority 2 150
address all take 0ms free 20ms
start all
expect leader 1 within 6 beacons
run 1s
stall 1 6s
stall --host 1 4s
run 3999ms
expect no address 2
expect role 2 leader
run 21ms
expect address 2

story AD1-holder-frozen
# electd-address alone freezes, and the host leads on without the address: it has it again afterwards.
hosts 3
seeds 1..25
set quorum all 2
set priority 1 200
address all take 0ms free 20ms
start all
expect leader 1 within 6 beacons
run 1s
address 1 hangs
run 1800ms
expect address 1
run 301ms
expect no address 1
address 1 runs
run 1ms
expect address 1
