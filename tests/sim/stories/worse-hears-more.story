# SPDX-License-Identifier: Apache-2.0
# M6: the better coordinator is not answered; the worse one hears it well and does not invite it.
hosts 5
seeds 1..5
set priority 1 200
set yield_timeout all 1s
split 1 2 3 | 4 5
start all
run 4s
expect leaders 2
drop AYCoord_answer from 4 count 100000
drop AYCoord_answer from 5 count 100000
heal
mark m
run 10s
expect elections == 0 since m
expect formed == 0 since m
