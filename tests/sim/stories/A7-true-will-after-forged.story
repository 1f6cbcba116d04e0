# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.11, trust.md 3: the forged wills of a leader that lives use up no sequence of its true will.
# When the process of the leader is killed later, its copy is believed at once.
hosts 4
seeds 1..20
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 1s
poison 1 will every 1ms for 1s
run 4s
expect one group of 4 within 3s
expect led within 2s
set preempt all on
expect leader 1 within 3s
run 1s
kill 1
expect leader 2 within 10ms
expect reason 2 coordinator-crashed
