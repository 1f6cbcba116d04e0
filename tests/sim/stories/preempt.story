# SPDX-License-Identifier: Apache-2.0
# With preempt on all hosts a better priority takes over from a working leader.
hosts 4
set preempt all on
set priority 1 200
start 2..4
expect led within 5 beacons
run 1s
mark m
start 1
expect leader 1 within 15 beacons
expect one group of 4
expect no two leaders since m
run 1s
expect no change for 50 beacons

# A member that is better from now on: why says that it was for the priority.
hook all 300ms
priority 3 250
expect leader 3 within 3s
expect reason 3 coordinator-preempted
expect reason 4 coordinator-preempted
