# SPDX-License-Identifier: Apache-2.0
# algorithm.md 3, Ways: one of two LANs is lost at a member, whose carrier stays.
hosts 5
lans 2
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 1s
mark whole
on 1 cut 2 - all
expect always no silent all for 20s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
on 1 join 2 - all
expect always no silent all for 10s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
on 2 cut 2 - all
expect always no silent all for 20s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
