# SPDX-License-Identifier: Apache-2.0
# algorithm.md 3, Ways: on one of two LANs a host is heard and hears nothing, or hears and is not heard. That
# something comes by a way does not say that anything arrives by it: a way is asked.
hosts 5
lans 2
seeds 1..5
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 1s
mark whole
on 1 cut all > 1
expect always no silent all for 60s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
on 1 join all > 1
on 2 cut 1 > all
expect always no silent all for 60s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
on 2 join 1 > all
on 1 cut all > 2
expect always no silent all for 60s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
on 1 join all > 2
on 2 cut 2 > all
expect always no silent all for 60s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
