# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.11: the leaders of five parts of a LAN are killed when it is one again, more than there are
# places for: no host begins to lead next to one of their demotions, also when the last one takes longest.
hosts 13
seeds 1..20
set priority 1..5 200
start all
expect one group of 13 within 3s
hook all 3s
hook 5 12s
split 1 6 | 2 7 | 3 8 | 4 9 | 5 10 11 12 13
run 5s
expect leaders 5
heal
run 400ms
kill 1 2 3 4 5
run 1ms
mark m
expect always no two acting since m for 14s
expect led within 10s
expect no two acting since m
