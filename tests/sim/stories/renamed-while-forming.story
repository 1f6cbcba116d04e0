# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.4: hosts are called otherwise after the message that names them, and before the group
# of that message works, as where names are set while all start. The list gets the new names all the
# same, of the coordinator as of a member.
hosts 3
seeds 1..10
set priority 1 200
start all
delay Ready_answer by 100ms count 20
run 640ms
set name 1 web-1
set name 2 web-2
expect state 1 reorganizing
expect leader 1 within 5s
clear
expect name of 1 at 3 web-1 within 3s
expect name of 2 at 3 web-2 within 3s
