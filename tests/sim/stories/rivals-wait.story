# SPDX-License-Identifier: Apache-2.0
# A leader was stalled and replaced. No Invitation reaches it, so the merge is late; meanwhile it hears
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
clear
expect one group of 4 within 15 beacons
expect role 1 follower
