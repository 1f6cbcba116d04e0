# SPDX-License-Identifier: Apache-2.0
#
# Mixed LANs: some hosts run another election (elections.md, Mixed LANs).

story mixed-algorithms
# Two hosts of the LAN run another election. The hosts of invitation report it, and elect as if these
# hosts did not exist, whatever their priority.
hosts 5
seeds 1..10
algorithm bully 4..5
set priority 4..5 200
start all
run 10s
expect same group 1 2
expect same group 1 3
expect no same group 1 4
expect no same group 1 5
expect no role 1 none
expect problem 1 other-algorithm
expect problem 2 other-algorithm
expect problem 3 other-algorithm
expect no change for 60s
expect problem 1 other-algorithm
expect problem 2 other-algorithm
expect problem 3 other-algorithm
stop 4
stop 5
expect one group of 3 within 1s
expect leaders 1
run 58s
expect problem 1 other-algorithm
run 4s
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
expect no problem 3 other-algorithm

story mixed-company
# role.md, elections.md: a host that runs another election is company, however long ago it was
# verified: a host that loses its link to it does not lead without a carrier.
hosts 2
seeds 1..5
algorithm bully 2
start all
run 90s
expect role 1 leader
link 1 down
run 3s
expect no role 1 leader

story mixed-insider
# W1: an insider with a verified session sends messages of another election. All hosts report it until
# 60 s after the last message; no group and no leader changes.
seeds 1..5
hosts 4
start all
expect led within 4s
expect one group of 4
run 2s
mark before
insider AYNormal every 200ms
run 3s
expect problem 1 other-algorithm
expect problem 2 other-algorithm
expect problem 3 other-algorithm
expect problem 4 other-algorithm
expect no problem 1 counter-pushed
insider off
run 58s
expect problem 1 other-algorithm
expect problem 4 other-algorithm
run 3s
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
expect no problem 3 other-algorithm
expect no problem 4 other-algorithm
expect formed == 0 since before
expect made == 0 since before
expect changes == 0 since before
expect leaders 1

story mixed-recorded
# S6: recordings of a host that ran another election. The host is reported until 60 s after its last
# message, however often its messages are played again; a host that starts after that never reports it.
hosts 4
seeds 1..10
algorithm bully 4
start 1 2 4
run 4s
expect problem 1 other-algorithm
crash 4
run 55s
expect problem 1 other-algorithm
expect problem 2 other-algorithm
replay AYNormal from 4
run 1s
replay AYNormal from 4
run 5s
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
start 3
mark m
former 50
expect always no problem 3 other-algorithm for 10s
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
expect one group of 3

story mixed-same-id
# A clone that runs another election has the id of a host. That host reports duplicate-id as long as the
# clone is heard. No host reports that a member runs another election.
hosts 4
seeds 1..10
clone 3 of 1
algorithm bully 3
start 1 2 4
run 4s
start 3
run 70s
expect problem 1 duplicate-id
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm

story mixed-tokens
# F11: a host that runs another election has led under a high counter when the hosts of invitation hear
# it first. Its Challenge_answer raises their counters: their next leader has a higher token.
hosts 4
seeds 1..20
algorithm bully 4
reserve 4 1000000
set priority 1 200
set priority 2 150
split 1..3 | 4
start all
run 4s
expect role 1 leader
expect role 4 leader
expect token of 4 > token of 1
heal
run 1s
expect problem 2 other-algorithm
crash 4
crash 1
expect leader 2 within 3s
expect token of 2 > token of 4

story mixed-tokens-later
# F11: a host that runs another election begins to lead after the hosts of invitation have verified its
# session, and its token rises while it is cut off. It answers Challenges: their next token is higher.
hosts 4
seeds 1..20
algorithm bully 4
reserve 4 1000000
set priority 1 200
set priority 2 150
start 1..3
run 2s
expect leader 1
start 4
expect leaders 2 within 5s
split 1..3 | 4
resign 4 for 1s
run 3s
expect role 4 leader
heal
run 1s
expect problem 2 other-algorithm
crash 4
crash 1
expect leader 2 within 3s
expect token of 2 > token of 4

story mixed-unproven
# S6: messages of another election from an unverified session, or recordings. No host reports them, and
# each host sends at most one Challenge per beacon interval for all of them.
seeds 1..5
hosts 4
start all
expect led within 4s
expect one group of 4
run 2s
mark before
insider AYNormal silent every 50ms
expect always no problem 1 other-algorithm for 20s
expect no problem 2 other-algorithm
expect sent Challenge <= 101 a host since before
expect sent Challenge >= 90 a host since before
expect formed == 0 since before
expect changes == 0 since before

story mixed-upgrade
# A host that ran another election is restarted with this one: the report ends when it is a member.
hosts 3
seeds 1..10
algorithm bully 3
start all
run 4s
expect problem 1 other-algorithm
stop 3
run 1s
algorithm invitation 3
start 3
run 3s
expect one group of 3
expect no problem 1 other-algorithm
expect no problem 2 other-algorithm
