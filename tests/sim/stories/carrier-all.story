# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.9: the switch starts anew: all cables go at once, nobody leads, and when it is back
# one does, once.
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

# A host that was started without a carrier listens from the moment it has one.
crash 3
link 3 down
start 3
run 10s
expect state 3 down
link 3 up
expect one group of 5 within 2s
expect led within 2s
