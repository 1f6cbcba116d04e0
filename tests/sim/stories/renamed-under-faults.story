# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.4: hosts are called otherwise while groups break, merge and lose hosts, and while a
# fifth of all datagrams is lost. In the end all lists have the names of the moment.
hosts 6
seeds 1..30
set priority 1 200
start all
run 1s
loss 200
set name 1 a-1
set name 2 a-2
crash 1
set name 3 a-3
run 300ms
start 1
set name 1 b-1
split 1 2 | 3 4 5 6
set name 4 a-4
run 1500ms
set name 2 b-2
set name 3 b-3
set name 5 a-5
heal
run 200ms
set name all c
set name 6 a-6
crash 3
run 700ms
set name 1 c-1
set name 2 c-2
start 3
set name 3 c-3
set name 4 c-4
set name 5 c-5
set name 6 c-6
loss 20
expect one group of 6 within 20s
expect led within 5s
expect name of 1 at 6 c-1 within 6s
expect name of 2 at 6 c-2 within 6s
expect name of 3 at 2 c-3 within 6s
expect name of 4 at 3 c-4 within 6s
expect name of 5 at 1 c-5 within 6s
expect name of 6 at 1 c-6 within 6s
expect no problem 1 name-clash within 3s
