# SPDX-License-Identifier: Apache-2.0
# 4.10: who is replaced while its demotion runs does not say that it leads when it wakes.
hosts 5
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 1s
hook 1 3s
resign 1
stall --host 1 580ms when it sends AYCoord
run 900ms
expect asking 1
expect no agree within 100ms
run 4s
expect one group of 5
expect led
