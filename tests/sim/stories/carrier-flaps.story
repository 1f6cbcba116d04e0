# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.9: a coordinator whose link flaps faster than it may lead, and faster than the others
# miss it, hands over: somebody leads while it does.
hosts 4
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s

# Once: it leads on.
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

# With nobody to hand over to it waits, and leads when its link is steady.
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
