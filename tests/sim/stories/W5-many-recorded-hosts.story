# SPDX-License-Identifier: Apache-2.0
# W5: a session each of 256 hosts that are gone, 20 000 datagrams a second at everybody: who starts is
# in the group as soon as without, whether the flood is old or all of them hear it for the first time.
hosts 3
seeds 1..6
set priority 1 200
start all
run 3s
record 256 of 256
crash 3
run 3s
former 20000
expect no change for 1s
start 3
expect one group of 3 within 500ms
crash 1 2 3
former 0
run 1s
start 1 2
run 3s
former 20000
start 3
expect one group of 3 within 500ms
mark m
run 5s
expect sent Challenge <= 4300 since m
