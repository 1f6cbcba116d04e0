# SPDX-License-Identifier: Apache-2.0
# Q1, S7: with a quorum of more than half the old leader of a split stops before the other side
# leads, also when datagrams were lost before; and the other side leads within a second.
hosts 5
seeds 1..200
set quorum all 3
set priority 1 200
condition absent
start all
expect leader 1 within 6 beacons
loss 100
run 3s
mark split
split 1 2 | 3 4 5
loss 0
run 4s
expect no two leaders since split
expect leaders 1
expect role 1 none
expect problem 1 no-quorum
