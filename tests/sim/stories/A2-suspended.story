# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.4, 4.9: a leader and a member are suspended for longer than anything is remembered of
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

# Longer than 1 h, ROUTES_GONE, and the other host is the last but one.
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

# It is suspended again while it waits to hear a host after its carrier came back: carrier_hold.
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

# A host that was alone all the time leads on: nobody could go on without it.
stop 2
run 61s
expect leader 1
stall --host 1 10 min
run 1s
link 1 down
run 600s
expect leader 1 within 5s
