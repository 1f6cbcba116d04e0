# SPDX-License-Identifier: Apache-2.0
# M9: two probes of a silent member stay without an answer, the third is answered: it is not dropped.
hosts 3
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5 beacons
run 2s
mark m
drop AYThere from 3 count 100
drop AYThere_answer from 3 count 2
expect always members 1 3 for 5s
