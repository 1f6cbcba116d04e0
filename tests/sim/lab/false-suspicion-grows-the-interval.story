# SPDX-License-Identifier: Apache-2.0
# elections.md, omega: each stall of 650 ms is a mistake until the interval is long enough, and then
# none is: after eight of them the others follow host 1 whatever it does.
algorithm omega
hosts 4
seeds 1..10
start all
run 3s
expect leader 1
mark first
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
stall 1 650ms
run 4s
expect leader 1
expect made >= 1 since first
mark then
stall 1 650ms
run 4s
stall 1 650ms
run 4s
stall 1 650ms
run 4s
stall 1 650ms
run 4s
stall 1 650ms
run 4s
stall 1 650ms
run 4s
expect leader 1
expect made == 0 since then
