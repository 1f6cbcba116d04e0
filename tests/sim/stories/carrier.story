# SPDX-License-Identifier: Apache-2.0
#
# The carrier: a leader loses the carrier of its link, or a host starts without one (role.md, Carrier).

story carrier
# A leader stops in the step in which its link loses the carrier, and a follower without a carrier does
# not begin to lead. With a carrier again, both join the others' group.
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
set priority 3 120
start all
expect leader 1 within 5 beacons
run 1s
link 1 down
expect role 1 none
expect reason 1 carrier-lost
expect bar 1 cut-off
expect problem 1 no-carrier
link 2 down
expect leader 3 within 2s
expect always role 1 none for 5s
expect always role 2 none for 5s
expect same group 3 4
link 1 up
link 2 up
expect one group of 4 within 2s
expect leader 3
expect no problem 1 no-carrier
expect no problem 1 nobody-heard

# After a short interruption no other host has begun to lead; the leader leads again as after a start.
link 3 down
expect role 3 none
run 100ms
link 3 up
expect problem 3 nobody-heard
expect always no leader 3 for 500ms
expect one group of 4 within 3s
expect led within 3s

# A carrier lost during a demotion ends the role at once, too.
hook all 2s
resign 3
run 100ms
expect role 3 leader
link 3 down
expect role 3 none
expect always role 3 none for 5s
link 3 up
expect one group of 4 within 3s

story carrier-all
# The switch restarts: all links lose their carrier at once, and no host leads. Then one does, once.
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
link 1 down
link 2 down
link 3 down
link 4 down
link 5 down
expect leaders 0
expect always leaders 0 for 20s
mark back
link 2 up
link 1 up
link 4 up
link 5 up
link 3 up
expect one group of 5 within 4s
expect led within 2s
expect made == 1 since back
run 10s
expect no two leaders since back

# A host that started without a carrier listens from the moment it has one.
crash 3
link 3 down
start 3
run 10s
expect state 3 down
link 3 up
expect one group of 5 within 2s
expect led within 2s

story carrier-alone
# A host without a network leads alone as long as no other host can lead. If it had company within the
# last minute it does not, unless it is configured to.
hosts 2
start 1
expect leader 1 within 3s
link 1 down
expect problem 1 no-carrier
expect always role 1 leader for 5s
link 1 up
expect always role 1 leader for 5s

# Company lasts for a minute, even that of a host that sent a Goodbye.
start 2
expect one group of 2 within 2s
stop 2
run 30s
expect role 1 leader
link 1 down
expect role 1 none
expect always role 1 none for 2 min
link 1 up
expect problem 1 nobody-heard
expect bar 1 listens
expect always role 1 none for 2s
expect bar 1 nobody-heard
expect always role 1 none for 27s
expect leader 1 within 2s
expect no problem 1 nobody-heard
expect bar 1 none
run 10s
link 1 down
expect always role 1 leader for 5s
link 1 up

# A port with a carrier that does not forward yet, and a carrier that is lost again meanwhile.
start 2
expect one group of 2 within 3s
link 1 down
cut 1 - 2
run 70s
link 1 up
expect always role 1 none for 5s
link 1 down
expect always role 1 none for 5s
link 1 up
expect always role 1 none for 25s
expect role 2 leader
join 1 - 2
expect one group of 2 within 3s
expect led within 1s

# network.without_carrier = "lead": on a crossed cable, the carrier goes when the peer has no power.
set leads_without_carrier all on
link 1 down
link 2 down
crash 2
expect role 1 leader within 3s
expect always role 1 leader for 5s
start 2
expect role 2 leader within 3s
link 1 up
link 2 up
expect one group of 2 within 3s
expect led within 2s

# The setting is changed while the carrier is lost.
link 1 down
expect role 1 leader within 3s
set leads_without_carrier 1 off
expect role 1 none
set leads_without_carrier 1 on
expect role 1 leader within 3s

story carrier-flaps
# The link of a coordinator flaps too fast for it to lead and too fast for the others to miss it. It
# hands over, so that a host leads meanwhile.
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s

# One interruption: the coordinator leads again.
link 1 down
expect role 1 none
run 100ms
link 1 up
expect leader 1 within 3s
run 1s

link 1 down
expect role 1 none
run 100ms
link 1 up
run 100ms
link 1 down
run 100ms
link 1 up
expect leader 2 within 2 beacons
link 1 down
run 100ms
link 1 up
run 100ms
link 1 down
run 100ms
link 1 up
expect leader 2
expect one group of 4 within 5s
expect leader 2

# Without another host to hand over to, it waits, and leads when its link is steady.
crash 2
crash 3
crash 4
expect leader 1 within 40s
link 1 down
run 100ms
link 1 up
run 100ms
link 1 down
run 100ms
link 1 up
expect leader 1 within 40s

story carrier-lost
# The leader's link goes down: the others elect; when it comes back there is one group.
hosts 4
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
link 1 down
expect problem 1 no-carrier within 1 beacon
run 3s
expect same group 2 3 4
link 1 up
expect led within 10 beacons
expect one group of 4 within 10 beacons
