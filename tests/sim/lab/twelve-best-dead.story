# SPDX-License-Identifier: Apache-2.0
# elections.md, frederickson-lynch, C4: the best twelve of 20 die; the token of the thirteenth needs 20 s a hop. Nobody
# waits for that: such a run never agreed. five-best-dead is its twin.
algorithm frederickson-lynch
hosts 20
seeds 1..3
start all
run 5s
expect leader 1
crash 1 2 3 4 5 6 7 8 9 10 11 12
expect always no agree for 120s
expect no ever led 13
