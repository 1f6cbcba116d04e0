# SPDX-License-Identifier: Apache-2.0
# F15: two leaders try to merge and cannot, for no Accept arrives: both keep their roles, for nobody
# took them over.
hosts 5
set priority 1 200
split 1..3 | 4 5
start all
run 4s
expect role 1 leader
drop Accept from 4 count 100000
drop Accept from 5 count 100000
drop Hello count 100000
heal
expect always role 1 leader for 10s
