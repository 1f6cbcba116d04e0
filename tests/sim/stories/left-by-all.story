# SPDX-License-Identifier: Apache-2.0
# A leader was stalled, and all its members follow another. No Invitation reaches it: it asks, and drops
# those who do not answer, instead of taking its old group for what it was.
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
clear
expect one group of 4 within 10 beacons
expect role 1 follower
