# SPDX-License-Identifier: Apache-2.0
# algorithm.md 3, Ways: a host hears nothing by one of two LANs, and is not heard by the other one. What it
# hears by does not lead back, and what leads there is silent: who is in doubt asks by both.
hosts 5
lans 2
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 5s
mark whole
on 1 cut 3 > all
on 2 cut all > 3
expect always no silent all for 60s
expect changes == 0 since whole
expect sent Ready == 0 since whole
on 1 join 3 > all
on 2 join all > 3
run 5s
on 1 cut 1 > all
on 2 cut all > 1
expect always no silent all for 60s
expect changes == 0 since whole
expect sent Ready == 0 since whole
