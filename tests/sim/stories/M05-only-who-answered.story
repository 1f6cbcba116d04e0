# SPDX-License-Identifier: Apache-2.0
# M5: a link that carries one way only causes nothing.
hosts 4
set priority 1 200
split 1 2 | 3 4
start all
run 4s
expect leaders 2
heal
cut 3 > 1
cut 3 > 2
cut 4 > 1
cut 4 > 2
mark m
run 20s
expect elections == 0 since m
expect leaders 2
