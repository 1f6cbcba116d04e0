# SPDX-License-Identifier: Apache-2.0
# elections.md, frederickson-lynch, C5: the best five of 20 die; the token of the sixth needs 32 rounds a hop. Who
# cannot know that they are dead waits for longer than that: else the others start again before it is round.
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
