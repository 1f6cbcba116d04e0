# SPDX-License-Identifier: Apache-2.0
#
# Bully: a host dies at each step of an election.

story bully-dies-after-ayup
# Slide 22: the next host dies as it asks; the others notice, and elect without it.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 when it sends AYUp skip 3
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m

story bully-dies-after-enterelection
# Slide 22: the candidate dies when all have halted for it: no host stays halted (C7).
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 when it sends EnterElection
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m

story bully-dies-after-newstate
# Slide 22: the candidate dies when its members are Normal, and it is not.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 when it sends NewState
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m

story bully-dies-after-setcoord
# Slide 22: the candidate dies when it is coordinator for all, and no host has a list (C7).
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 when it sends SetCoord
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m

story bully-dies-before-enterelection
# Slide 22: the host that answered all others that it is up dies before it calls them.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 before it sends EnterElection
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m

story bully-dies-before-first-beacon
# Slide 22: the candidate dies as soon as it is coordinator.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 before it sends AYNormal
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 2 since m

story bully-dies-before-it-says-up
# Slide 22: the host above the others dies instead of answering: they ask again.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 before it sends AYUp_answer
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m

story bully-dies-before-newstate
# Slide 22: the candidate dies before it sends the list (C7).
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 before it sends NewState
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m

story bully-dies-before-setcoord
# Slide 22: the candidate dies before any host has it as coordinator (C7).
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 2 before it sends SetCoord
crash 1
mark m
run 3s
expect led
expect one group of 4 within 10 beacons
expect made <= 1 since m

story bully-member-dies-before-it-follows
# Slide 26: a member dies in the middle: the set of members has changed, and the election begins anew.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 4 before it sends SetCoord_answer
crash 1
mark m
run 3s
expect leader 2
expect one group of 4 within 20 beacons
expect made <= 1 since m

story bully-member-dies-before-it-halts
# Slide 26: a member dies before it answers the candidate, which waits a window for it.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 4 before it sends EnterElection_answer
crash 1
mark m
run 3s
expect leader 2
expect one group of 4 within 20 beacons
expect made <= 1 since m

story bully-member-dies-before-it-has-the-list
# Slide 26: a member dies at the end: the election begins anew.
algorithm bully
hosts 6
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 8 beacons
run 2s
crash 4 before it sends NewState_answer
crash 1
mark m
run 3s
expect leader 2
expect one group of 4 within 20 beacons
expect made <= 1 since m
