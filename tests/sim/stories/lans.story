# SPDX-License-Identifier: Apache-2.0
#
# Two LANs: paths by one of them fail, in one direction or in both (algorithm.md 3, Ways).

story lans-both
# algorithm.md 3, Ways: both LANs lost at the coordinator are as one LAN lost: the others elect, and it
# comes back to them, by whichever LAN is whole first.
hosts 5
lans 2
seeds 1..10
set priority 1 200
set priority 2 150
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 1s
mark whole
cut 1 - all
expect role 2 leader within 2s
expect same group 2 3 4 5 within 1s
on 2 join 1 - all
expect one group of 5 within 5s
expect always no silent all for 20s

story lans-coordinator
# algorithm.md 3, Ways: one of two LANs is lost at the coordinator, whose carrier stays. All are heard by the
# other one; who sends on where it first heard the coordinator is dropped, and joins again.
hosts 5
lans 2
seeds 1..10
set priority 1 200
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 1s
mark whole
on 1 cut 1 - all
expect always no silent all for 20s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole

# Back, and then the other one.
on 1 join 1 - all
expect always no silent all for 10s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole
on 2 cut 1 - all
expect always no silent all for 20s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer == 0 since whole

story lans-crossed
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

story lans-crossed-quorum
# algorithm.md 3, Ways: a host hears nothing by one of two LANs, and is not heard by the other one,
# in turns. What comes in by a link no more may still go out by it: the leader keeps its quorum.
hosts 5
lans 2
seeds 1..10
set priority 1 200
set quorum all 3
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

story lans-crossed-turns
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

story lans-flapping
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

story lans-healed-late
# algorithm.md 3, Ways: from a host's start one of two LANs carries nothing that it says. Long after,
# when it asks by that LAN rarely, that is mended, and the other one begins to fail so, or is lost.
# What is heard, but has not answered, counts in doubt.
hosts 5
lans 2
seeds 1..10
set priority 1 200
on 2 cut 2 > all
on 2 cut 3 > all
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 120s
mark whole
on 2 join 2 > all
on 1 cut 2 > all
on 2 join 3 > all
on 1 cut 3 - all
expect always no silent all for 20s
expect changes == 0 since whole
expect sent Ready == 0 since whole

story lans-member
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

story lans-one-way
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
