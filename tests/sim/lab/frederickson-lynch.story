# SPDX-License-Identifier: Apache-2.0
#
# Frederickson and Lynch: the best hosts are dead, so the token that wins is slow (elections.md).

story five-best-dead
# C5: the best five of 20 die; the token of the sixth needs 32 rounds a hop. A host does not know which
# others are dead, and waits longer than that; otherwise the others restart before the token is round.
algorithm frederickson-lynch
hosts 20
seeds 1..10
start all
run 5s
expect leader 1
mark m
crash 1 2 3 4 5
expect agree within 5s
expect leader 6
expect elections <= 12 since m
run 10s
expect agree
expect in total made <= 12 since m

story twelve-best-dead
# C4: the best twelve of 20 die; the token of the thirteenth needs 20 s a hop. No timeout is that long:
# such a run never agrees. Compare five-best-dead.
algorithm frederickson-lynch
hosts 20
seeds 1..3
start all
run 5s
expect leader 1
crash 1 2 3 4 5 6 7 8 9 10 11 12
expect always no agree for 120s
expect no ever led 13
