# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.4: a member, the leader and then both are called otherwise while they run. All
# lists show it soon, although datagrams get lost, and no role or group changes for it. Without the
# rule the former names stay until a host joins anew.
hosts 5
seeds 1..20
loss 50
set priority 1 200
set name all localhost
start all
expect leader 1 within 5s
expect one group of 5 within 5s
expect problem 3 name-clash within 2s
mark m
set name 3 web-3
expect name of 3 at 1 web-3 within 3s
expect name of 3 at 5 web-3 within 3s
expect name of 3 at 3 web-3 within 3s
expect reason 1 renamed
expect cause 5 3
set name 1 web-1
expect name of 1 at 4 web-1 within 3s
expect name of 3 at 4 web-3
expect name of 1 at 1 web-1
set name 2 web-2
set name 4 web-4
set name 1 web-1.example
expect name of 2 at 5 web-2 within 3s
expect name of 4 at 5 web-4 within 3s
expect name of 1 at 5 web-1.example within 3s
expect no problem 3 name-clash within 3s
expect regroupings == 0 since m
expect leader 1
