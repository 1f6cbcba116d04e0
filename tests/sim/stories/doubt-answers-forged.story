# SPDX-License-Identifier: Apache-2.0
# 4.10: who has no key can neither keep a silent coordinator nor depose a living one, whatever it
# repeats, changes or says.
hosts 5
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
hostile 300
run 2s
mark m
stall 1 300ms
expect no change for 1s
replay AYThere_answer from 1
drop AYCoord from 1 to 2
expect no change for 1s
stall 1 300ms
expect no change for 1s
mark n
crash 1
replay AYThere_answer from 1 in 230ms
replay AYThere_answer from 3 in 240ms
expect one group of 4 within 490ms
