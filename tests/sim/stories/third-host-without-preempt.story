# SPDX-License-Identifier: Apache-2.0
# M15: two hosts would let the higher priority take over, a third would not: nobody does.
hosts 3
seeds 1..5
set priority 1 200
set preempt 1 on
set preempt 2 on
start all
expect leader 1 within 5 beacons
run 2s
set priority 2 250
expect always role 1 leader for 5s
expect problem 1 preempt-differs
