# SPDX-License-Identifier: Apache-2.0
# algorithm.md 3, Ways: a host hears nothing by one of two LANs, and is not heard by the other one,
# in turns. What comes in by a link no more may still go out by it: nobody has to be asked.
hosts 5
lans 2
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 5s
mark whole
on 1 cut 1 > all
on 2 cut all > 1
run 2500ms
on 1 join 1 > all
on 2 join all > 1
run 700ms
on 1 cut all > 1
on 2 cut 1 > all
run 2500ms
on 1 join all > 1
on 2 join 1 > all
run 700ms
on 1 cut 3 > all
on 2 cut all > 3
run 2500ms
on 1 join 3 > all
on 2 join all > 3
run 700ms
on 1 cut all > 3
on 2 cut 3 > all
run 2500ms
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent AYThere_answer == 0 since whole
