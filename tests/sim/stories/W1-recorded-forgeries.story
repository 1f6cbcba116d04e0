# SPDX-License-Identifier: Apache-2.0
# trust.md 3, W1 (2): somebody with the key sends beacons of the leader under sequences that it has not
# used yet, and goes. When the session of the leader comes near them the leader is cut off, and recordings
# of these beacons are played: they do not pass for its own, so it is missed as usual.
hosts 5
seeds 1..20
set priority 5 200
start all
expect leader 5 within 3s
expect one group of 5 within 3s
run 2s
forge AYCoord of 5 above 160 to 98
run 17s
expect one group of 5
expect leader 5
cut 5 - 1..4
replay forged of 5 every 400ms
expect leaders 2 within 1s
expect same group 1 2 3 4
expect always same group 1 2 3 4 for 20s
