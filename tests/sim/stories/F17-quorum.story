# SPDX-License-Identifier: Apache-2.0
# F17: with a quorum of three the smaller side of a split does not lead.
hosts 5
set quorum all 3
start all
expect led within 5 beacons
run 1s
mark m
split 1 2 | 3 4 5
run 4s
expect leaders 1
expect role 1 none
expect role 2 none
expect problem 1 no-quorum
heal
expect led within 10 beacons
expect no problem 1 no-quorum
