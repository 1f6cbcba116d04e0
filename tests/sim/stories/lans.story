# SPDX-License-Identifier: Apache-2.0
#
# Two LANs: paths by one of them fail, in one direction or in both (paths.md).

story lans-both
# Both LANs fail at the coordinator: the others elect, and it returns by the LAN that is whole first.
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
# One of two LANs is lost at the coordinator, whose carrier stays. All hosts are heard by the other LAN.
# A host that still sent where it first heard the coordinator would be dropped.
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

# The LAN returns, and then the other one is lost.
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
# A host hears nothing by one of two LANs, and is not heard by the other. The path it hears by does not
# lead back, and the one that does is silent: in suspicion it asks by both.
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
# A host hears nothing by one of two LANs, and is not heard by the other, in turns. A link that receives
# nothing any more may still send: the leader keeps its quorum.
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
# A host hears nothing by one of two LANs, and is not heard by the other, in turns. A link that receives
# nothing any more may still send: no host has to be asked.
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
# One of two LANs comes and goes each second, at the coordinator and at a member.
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
# From a host's start one of two LANs does not carry what it sends. Long after, when it asks by that LAN
# rarely, that is repaired, and the other LAN begins to fail in this way, or is lost. In suspicion, a
# path that is heard but has not answered is used, too.
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
# One of two LANs is lost at a member, whose carrier stays.
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
# On one of two LANs a host is heard and hears nothing, or hears and is not heard. A path that receives
# does not prove that anything arrives by it: the path is asked.
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
# A member that takes the broken path twice in a row is silent for so long that it is probed.
on 2 cut 2 > all
expect always no silent all for 60s
expect changes == 0 since whole
expect sent Ready == 0 since whole
expect sent Invitation == 0 since whole
expect sent AYThere_answer <= 2 since whole
