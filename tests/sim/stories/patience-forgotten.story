# SPDX-License-Identifier: Apache-2.0
# 4.13: false alarms are forgotten, one each 10 minutes: the leader that was given time is replaced as soon as
# any other.
hosts 5
seeds 1..5
set priority 1 200
set preempt all on
start all
expect leader 1 within 6 beacons
run 5s
mark m
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
stall 1 700ms
run 3s
mark patient
stall 1 700ms
run 3s
expect succeeded == 0 since patient
run 1260s
mark forgotten
stall 1 700ms
run 3s
expect succeeded == 2 since forgotten
