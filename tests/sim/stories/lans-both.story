# SPDX-License-Identifier: Apache-2.0
# algorithm.md 3, Ways: both LANs lost at the coordinator are as one LAN lost: the others elect, and it
# comes back to them, by whichever LAN is whole first.
hosts 5
lans 2
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 1s
mark whole
cut 1 - all
expect role 2 leader within 2s
expect same group 2 3 4 5 within 1s
on 2 join 1 - all
expect one group of 5 within 5s
expect always no silent all for 20s
