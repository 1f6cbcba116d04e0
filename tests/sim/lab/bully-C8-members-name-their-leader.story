# SPDX-License-Identifier: Apache-2.0
# C8: members follow a higher host that their leader does not hear. They say whom they leave, and the
# new coordinator does not lead at once.
algorithm bully
hosts 4
seeds 1..10
set priority 1 150
set priority 4 200
start 1..3
expect leader 1 within 10 beacons
run 2s
cut 1 - 4
start 4
expect same group 2 4 within 10 beacons
expect role 4 none
run 300ms
expect role 4 none
