# SPDX-License-Identifier: Apache-2.0
#
# Stalls: a process or a host pauses, is suspended, and wakes.

story A2-suspended
# suspicion.md, role.md: a leader and a member are suspended for longer than anything is remembered of
# other hosts, and their links come up late. No role begins without a carrier.
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
expect one group of 4
run 1s

# Longer than 60 s: COMPANY, DIFFERENCE_FORGET, BACKOFF_FORGET, UNTAKEN_FORGET, ROUTES_PROVEN.
stall --host 1 66s
stall --host 4 66s
run 1s
link 1 down
link 4 down
expect role 2 leader within 5s
run 60s
expect role 1 none within 5s
expect always role 1 none for 10s
expect role 4 none
expect role 2 leader
link 1 up
link 4 up
expect one group of 4 within 3s
expect leader 2

# Longer than 600 s: PUSHED_FORGET, PATIENCE_FORGET. The link goes down just after the resume.
stall --host 1 11 min
stall --host 2 11 min
run 660s
run 50ms
link 1 down
link 2 down
run 3s
expect no leader 1
expect no leader 2
expect always no leader 2 for 7s
link 1 up
link 2 up
expect one group of 4 within 3s
expect led within 3s

# Longer than 1 h, ROUTES_GONE, and only one other host is left.
crash 3 4
expect one group of 2 within 5s
expect led within 5s
stall --host 1 2 h
run 1s
link 1 down
expect role 2 leader within 5s
run 7200s
expect always role 1 none for 10s
link 1 up
expect one group of 2 within 3s
expect led within 5s

# The host is suspended again while it waits to hear a host after its carrier came back: carrier_hold.
stall --host 1 70s
run 1s
link 1 down
cut 1 - 2
run 70s
link 1 up
run 1s
stall --host 1 10 min
run 601s
expect always role 1 none for 20s
join 1 - 2
expect one group of 2 within 3s
expect led within 5s

# A host that was alone all the time leads on: no other host could have led.
stop 2
run 61s
expect leader 1
stall --host 1 10 min
run 1s
link 1 down
run 600s
expect leader 1 within 5s

story A2-suspended-hub
# paths.md, suspicion.md: without multicast two hosts know each other only by a third one, which has died.
# One of them is suspended for longer than a silent host is remembered (ROUTES_GONE), and its link comes
# up late: they find each other again.
hosts 3
seeds 1..10
multicast all off
peers 2 1
peers 3 1
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5s
expect one group of 3 within 5s
run 5s
crash 1
expect leader 2 within 5s
expect one group of 2 within 5s
run 5s
stall --host 2 2 h
run 1s
link 2 down
expect role 3 leader within 10s
run 7200s
run 5s
expect role 2 none
link 2 up
expect one group of 2 within 10s
expect led within 5s

story all-stalled
# suspicion.md: all hosts stall together, as on one machine that is suspended. No host took over, and still the
# leader first stops leading, asks, and leads again with a new token.
hosts 3
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
mark m
stall 1 1500ms
stall 2 1500ms
stall 3 1500ms
run 1500ms
expect no role 1 leader within 10ms
expect reason 1 stalled
expect bar 1 answers
expect leader 1 within 5 beacons
expect one group of 3 within 5 beacons
expect formed == 1 since m

story left-by-all
# A leader stalled, and all its members follow another. No Invitation reaches it: it asks, and drops the
# members that do not answer instead of keeping its old group.
hosts 4
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
stall 1 1500ms
run 1500ms
drop Invitation to 1 count 100000
run 300ms
expect members 1 1
expect bar 1 listens
clear
expect one group of 4 within 10 beacons
expect role 1 follower

story rivals-wait
# A leader stalled and was replaced. No Invitation reaches it, so the merge is late; meanwhile it hears
# its successor, and does not lead its old group a second time.
hosts 4
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
stall 1 1500ms
run 1500ms
drop Invitation to 1 count 100000
expect always no role 1 leader for 3s
expect bar 1 rival
clear
expect one group of 4 within 15 beacons
expect role 1 follower

story short-stalls-change-nothing
# Stalls shorter than dead_after change no leader.
hosts 5
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
stall 1 300ms
run 1s
stall 2 300ms
stall 3 250ms
run 1s
stall 1 200ms
run 2s
expect leader 1
expect made == 0 since m
expect formed == 0 since m

story stall-counts-from-the-beacon
# A leader stalls for less than dead_after, but its last beacon is older than that. Its members counted
# from that beacon and follow another, so it does not go on.
hosts 4
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
stall 1 520ms
run 521ms
mark m
run 1s
expect no two leaders since m
expect one group of 4 within 10 beacons

story stalled-leader
# A leader stalls for longer than dead_after: it does not lead for one step next to its successor.
hosts 4
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
stall 1 1500ms
run 1s
expect role 2 leader
run 700ms
expect leader 2 within 5 beacons
expect one group of 4 within 10 beacons
expect role 1 follower

story stalled-member
# A member that stalls for longer than dead_after blames no host.
hosts 4
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
mark m
stall 3 900ms
run 2s
expect leader 1
expect one group of 4
expect formed == 0 since m
expect elections == 0 since m

story wakes
# suspicion.md: a leader that stalled, with its kernel or without, just long enough to be replaced or for
# seconds, asks before it reports that it leads (asserted by the checker).
hosts 5
seeds 1..100
start all
expect led within 6 beacons
run 1s
stall --host leader 430ms
run 2s
expect led
stall --host leader 580ms when it sends AYCoord
run 2s
expect led
stall --host leader 1s
run 3s
expect led
stall --host leader 3s
run 6s
expect led
stall leader 460ms
run 2s
expect led
stall leader 590ms when it sends AYCoord
run 2s
expect led
stall leader 800ms
run 3s
expect led

story wakes-as-another-succeeds
# suspicion.md: a leader wakes at the very moment of its succession: a part of its group goes on with it, the
# rest does not. It does not lead again with less than half of those it led.
hosts 5
seeds 1..300
clocks 0
start all
expect led within 6 beacons
run 1s
mark m
stall leader 600200us when it sends AYCoord
run 3s
expect one group of 5
expect led
expect two-led-ms == 0 since m

story wakes-in-a-demotion
# suspicion.md: a leader that is replaced while its demotion runs does not report that it leads when it wakes.
hosts 5
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
hook 1 3s
resign 1
stall --host 1 580ms when it sends AYCoord
run 900ms
expect asking 1
expect no agree within 100ms
run 4s
expect one group of 5
expect led

story wakes-while-it-waits
# suspicion.md: a successor that waits for a demotion is replaced while its host pauses. When it wakes the
# demotion is over, and it asks before it leads; otherwise two would lead.
hosts 5
seeds 1..60
hook 1 3s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
kill 1
expect one group of 4 within 10ms
run 2600ms
mark m
stall --host 2 550ms
run 2s
expect no two leaders since m
expect one group of 4
expect led

story stalled-member-and-restarted-hosts
# succession.md, M10: a member stalls while its leader stops, the next one dies, and a third leads. When it
# goes on, the first two have started anew. They come into its group, but they are no survivors of it: it
# does not lead next to the third.
hosts 5
seeds 1..20
set priority 5 200
set priority 3 150
set priority 2 100
set priority 4 50
set priority 1 40
start all
expect leader 5 within 5 beacons
expect one group of 5 within 5 beacons
run 2s
mark m
stall 4 1140ms
run 20ms
stop 5
expect role 3 leader within 200ms
run 1s
crash 3
expect role 2 leader within 500ms
run 80ms
start 3 5
run 2s
expect no two leaders since m
expect one group of 5 within 5s

story stalled-leader-and-new-hosts
# suspicion.md, Stalls: a leader that has stalled asks its members. Two of them have died, and come back as
# hosts that know nothing: their answers do not tell whom the other two follow by now, nor after a second
# stall.
hosts 5
seeds 1..20
set priority 1 200
set priority 4 150
start all
expect leader 1 within 5 beacons
expect one group of 5 within 5 beacons
run 2s
stall 1 3s
run 1500ms
expect role 4 leader
crash 2 3
lose-state 2
lose-state 3
run 1s
expect role 4 leader
split 1 2 3 | 4 5
run 490ms
start 2 3
run 20ms
expect always no role 1 leader for 300ms
stall 1 400ms
run 450ms
expect always no role 1 leader for 500ms
heal
expect one group of 5 within 5s
