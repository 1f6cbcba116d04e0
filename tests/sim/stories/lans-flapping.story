# SPDX-License-Identifier: Apache-2.0
# algorithm.md 3, Ways: one of two LANs comes and goes each second, at the coordinator and at a member.
hosts 5
lans 2
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 1s
mark whole
on 1 flap 1 - all every 1s times 20
expect always no silent all for 45s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
on 2 flap 2 - all every 1s times 20
expect always no silent all for 45s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
