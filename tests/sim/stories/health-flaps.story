# SPDX-License-Identifier: Apache-2.0
# 4.12: a service that flaps costs one hand-over in a bar time, and none while rise and fall hold.
hosts 3
set priority 1 200
set preempt all on
set sick_bar all 10s
start all
expect leader 1 within 5 beacons
run 1s
mark m
report 1 pg well fall 2
report 1 pg sick fall 2
report 1 pg well fall 2
report 1 pg sick fall 2
expect always role 1 leader for 1s
report 1 pg sick
expect leader 2 within 10 beacons
expect always no role 1 leader for 8s
report 1 pg well
expect always no role 1 leader for 1s
expect leader 1 within 5s
expect made == 2 since m
