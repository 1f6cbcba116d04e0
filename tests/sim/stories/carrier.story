# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.9: a leader stops in the step in which its cable goes, and a follower does not begin
# to lead behind its own; back, both are members of the others' group.
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

# A short interruption: nobody else has begun to lead, and it leads again as after a start.
link 3 down
expect role 3 none
run 100ms
link 3 up
expect problem 3 nobody-heard
expect always no leader 3 for 500ms
expect one group of 4 within 3s
expect led within 3s

# In the middle of a demotion it is over at once all the same.
hook all 2s
resign 3
run 100ms
expect role 3 leader
link 3 down
expect role 3 none
expect always role 3 none for 5s
link 3 up
expect one group of 4 within 3s
