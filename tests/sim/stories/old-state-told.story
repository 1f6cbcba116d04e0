# SPDX-License-Identifier: Apache-2.0
# D1: an older copy of the state, put back: a host that knows of a later start says so, and it is
# told; once a minute, not with every datagram.
hosts 3
seeds 1..20
start 2
expect leader 2 within 3s
start 1 3
expect one group of 3 within 3s
copy-state 1
crash 1
run 100ms
start 1
expect one group of 3 within 3s
crash 1
run 100ms
start 1
expect one group of 3 within 3s
run 1s
stop 1
run 1s
expect no problem 1 state-old
put-back-state 1
mark m
start 1
expect problem 1 state-old within 2s
expect one group of 3 within 4s
expect no problem 2 state-old
expect no problem 3 state-old
run 2 min
expect problem 1 state-old
expect sent Challenge_answer < 40 since m

# Another coordinates, which knew it only by the lists of the first.
crash 2
run 2s
expect leaders 1
lose-state 2
start 2
run 2s
expect one group of 3
crash 1
run 100ms
put-back-state 1
start 1
expect problem 1 state-old within 10s

# Nobody is left who knows.
crash 1 2 3
lose-state 2
lose-state 3
put-back-state 1
start all
expect one group of 3 within 5s
run 2s
expect no problem 1 state-old
