# SPDX-License-Identifier: Apache-2.0
#
# The own link (suspicion.md): the last host leads without a wait if its own link works apart from the
# host that it lost; else it may be cut off itself, and waits for lone_hold.

story own-gateway
# Two hosts and a gateway. The leader's host dies: the other one leads as soon as one of three would.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
crash 1
expect leader 2 within 480ms
expect bar 2 none
expect reason 2 coordinator-silent
expect cause 2 1

story own-frames
# No gateway answers, but other devices are heard: as good.
hosts 2
seeds 1..50
set priority 1 200
noise 2 every 20ms
start all
expect leader 1 within 6 beacons
run 1s
crash 1
expect leader 2 within 480ms

story own-one-frame
# One frame may have been on its way.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
crash 1
run 100ms
noise 2 every 500ms
expect always no leader 2 for 1s
expect bar 2 alone
noise 2 off

story own-switch-dead
# The switch fails, and carriers stay: no link shows any life. The leader goes on, and the other host
# waits, so that a switch that is started again finds one leader.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
mark m
cut 1 - 2
gateway none
run 1300ms
expect leaders 1
expect bar 2 alone
join 1 - 2
gateway router
expect one group of 2 within 8 beacons
expect leader 1
expect no two leaders since m

story own-cable-of-leader
# The leader's cable is pulled: it stops, and the other host, whose link works, leads.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
mark m
link 1 down
expect leader 2 within 480ms
expect no two leaders since m
link 1 up
expect one group of 2 within 16 beacons
expect leaders 1
expect no two leaders since m

story own-cable-of-other
# The cable of the other host is pulled: no host but the leader leads.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
mark m
link 2 down
expect always no role 2 leader for 3s
expect leader 1
link 2 up
expect one group of 2 within 8 beacons
expect leader 1
expect no two leaders since m

story own-gateway-dead
# The gateway is off, and nothing else is heard: the host waits as without one.
hosts 2
seeds 1..20
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
gateway none
crash 1
expect always no role 2 leader for 1500ms
expect bar 2 alone
expect leader 2 within 500ms

story own-gateway-lost
# The lost host is the gateway.
hosts 2
seeds 1..20
set priority 1 200
gateway host 1
start all
expect leader 1 within 6 beacons
run 1s
crash 1
expect always no role 2 leader for 1500ms
expect bar 2 alone
expect leader 2 within 500ms

story own-gateway-host
# The gateway is a host of the group that lives, and the lost one is another.
hosts 3
seeds 1..20
set priority 1 200
gateway host 3
start all
expect leader 1 within 6 beacons
run 1s
crash 1
expect led within 480ms

story own-process-stalls
# The leader's process stalls, and its kernel answers: dead_after decides, not the gateway.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 500ms when it sends AYCoord
expect always no leader 2 for 1s
expect no two leaders since m

story own-process-stalls-longer
# ... and it is replaced when dead_after is over.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
stall 1 5s when it sends AYCoord
expect role 2 leader within 900ms

story own-frames-of-lost
# The leader's process stalls, and its host goes on sending other frames: they show nothing about the
# own link, because nobody else is heard.
hosts 2
seeds 1..50
set priority 1 200
noise 2 every 20ms
start all
expect leader 1 within 6 beacons
run 1s
stall 1 5s when it sends AYCoord
expect always no role 2 leader for 1500ms
expect bar 2 alone

story own-firewall
# A firewall hides the kernel of the leader's host: frames may be its own, the gateway's answer is not.
hosts 2
seeds 1..20
set priority 1 200
kernel 1 silent
noise 2 every 20ms
start all
expect leader 1 within 6 beacons
run 5s
crash 1
expect always no role 2 leader for 1500ms
expect bar 2 alone

story own-firewall-gateway
hosts 2
seeds 1..20
set priority 1 200
kernel 1 silent
gateway router
start all
expect leader 1 within 6 beacons
run 5s
crash 1
expect always no role 2 leader for 350ms
expect leader 2 within 450ms

story own-noisy-split
# The switch is split, and devices are heard on both sides: both parts have a leader at once.
hosts 2
seeds 1..50
set priority 1 200
noise all every 20ms
start all
expect leader 1 within 6 beacons
run 1s
cut 1 - 2
expect leaders 2 within 480ms
join 1 - 2
expect one group of 2 within 12 beacons
expect leaders 1 within 1 beacon

story own-last-of-three
# Two of three hosts die at once. The first in succession is one of them, and has asked nothing: the
# last host leaves it no step.
hosts 3
seeds 1..50
set priority 1 200
set priority 2 150
gateway router
start all
expect leader 1 within 6 beacons
run 1s
crash 1 2
expect leader 3 within 440ms

story own-last-of-five
# Four of five hosts die at once; the last one does not suspect the leader early.
hosts 5
seeds 1..50
set priority 1 200
set priority 5 50
gateway router
start all
expect leader 1 within 6 beacons
run 1s
crash 1 2 3 4
expect leader 5 within 1200ms

story own-cut-from-leader
# One host does not hear the leader, which the others hear: it does not lead, whatever its gateway says.
hosts 3
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
cut 1 - 2
expect always no role 2 leader for 1600ms

story own-loss
# Losses of 5 % and 20 % change nothing.
hosts 2
seeds 1..20
set priority 1 200
gateway router
noise all every 20ms
loss 50
start all
expect leader 1 within 12 beacons
run 1s
mark m
run 60s
expect made == 0 since m
loss 200
run 60s
expect no two leaders since m

story own-stalled-host
# The leader's host pauses as a whole, and the other one leads. It asks before it shows that it leads.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
stall --host 1 500ms when it sends AYCoord
expect role 2 leader within 700ms
expect asking 1 within 300ms
expect one group of 2 within 12 beacons

story own-join
# A host that joins ends the wait of a host that is alone.
hosts 2
seeds 1..20
start 1
run 700ms
expect bar 1 listens
start 2
expect led within 200ms
expect one group of 2

story own-join-after-loss
hosts 3
seeds 1..20
set priority 1 200
start 1 2
expect leader 1 within 6 beacons
run 1s
crash 1
run 800ms
expect bar 2 alone
start 3
expect leader 2 within 300ms
expect one group of 2

story own-heard-another
# The link works, but a third host has heard the leader: the wait has nothing to do with the own link.
hosts 3
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
cut 1 - 2
run 750ms
cut 2 - 3
run 300ms
expect bar 2 listens

story own-stall-while-asking
# The other host stalls while it asks. Frames of the lost host, which starts again meanwhile, are no
# sign of life: its datagrams are discarded unread.
hosts 2
seeds 1..50
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
crash 1
run 300ms
stall 2 1500ms
start 1
run 1s
crash 1
run 500ms
expect always no leader 2 for 1150ms
expect leader 2 within 800ms

story own-questions-heard
# The last in succession has heard a question of the first one, and then nothing more: it is not alone.
hosts 4
seeds 1..50
set priority 1 200
set priority 2 150
set priority 4 50
gateway router
start all
expect leader 1 within 6 beacons
run 1s
crash 1 when it sends AYCoord
expect state 1 off within 2 beacons
run 320ms
cut 1..3 > 4
expect leader 2 within 300ms
expect always no role 4 leader for 1s
join 1..3 > 4
expect one group of 3 within 12 beacons

story own-challenged
# A host that has heard nothing since is sent Challenges by other hosts, because of its Invitation. The
# first two in succession, which it has verified, are dead, too.
hosts 6
seeds 1..50
set priority 1 200
set priority 2 150
set priority 3 140
set priority 6 50
gateway router
start all
expect leader 1 within 6 beacons
run 1s
cut 1..5 > 6
crash 1 2 3
expect state 6 election within 2s
join 1..5 > 6
expect always no role 6 leader for 3 beacons
expect one group of 3 within 12 beacons

story own-stalled-leader-of-the-dead
# The leader's host pauses after the only other one has died: it leads on, after it has asked in vain.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
mark m
crash 2
stall --host 1 480ms when it sends AYCoord
run 1s
expect no asking 1
expect leader 1
run 5s
expect made == 0 since m

story own-both-stall
# Both processes stall: no role changes.
hosts 2
seeds 1..50
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 340ms
stall 2 340ms
run 5s
expect leader 1
expect made == 0 since m

story own-after-a-heal
# A host that has yielded waits for the merge. Once it is in a group that wait is over: when its
# coordinator falls silent a moment later, it is as fast as before.
hosts 2
seeds 1..20
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
cut 1 - 2
expect leaders 2 within 480ms
join 1 - 2
expect one group of 2 within 6 beacons
run 300ms
cut 1 - 2
expect leaders 2 within 480ms

story own-after-the-carrier
# So is the wait of a leader whose carrier has come back.
hosts 2
seeds 1..20
set priority 1 200
gateway router
start all
expect leader 1 within 6 beacons
run 1s
link 1 down
expect leader 2 within 480ms
run 500ms
link 1 up
expect one group of 2 within 8 beacons
run 300ms
crash 2
expect leader 1 within 480ms

story own-late-sign
# The leader's host pauses, and the link of the other one shows no life. That one stalls for a moment, in
# which frames come, and the leader is back and asks: this is read before the sign is judged.
hosts 2
seeds 1..40
set priority 1 200
start all
expect leader 1 within 6 beacons
run 2s
mark m
stall --host 1 530ms when it sends AYCoord
run 660ms
stall 2 150ms
noise 2 every 5ms
run 1s
expect made == 0 since m

story own-coordinator-left
# The leader is silent for one host, goes into another group meanwhile, and is heard again: host 2,
# whose own link works, does not lead next to the leader of that group.
hosts 3
seeds 1..20
set priority 1 150
set priority 3 200
set dead_after all 3s
set silence all 0ms
gateway router
cut 3 - 1..2
start all
expect leaders 2 within 10 beacons
run 1s
cut 1 > 2
cut 3 > 2
join 1 - 3
resign 1 for 10s
expect role 1 follower within 10 beacons
expect role 2 follower
run 200ms
join 1 > 2
expect always no leader 2 for 1s
expect state 2 Normal
