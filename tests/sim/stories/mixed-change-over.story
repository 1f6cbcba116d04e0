# SPDX-License-Identifier: Apache-2.0
# 4.14: a domain is changed host by host: by bully nobody leads before the last host of invitation has
# stopped, and then somebody does, with a higher token. Without what a Goodbye forgets it takes a
# minute.
hosts 3
seeds 1..10
start all
expect led within 15 beacons
run 2s
stop 2
run 1s
algorithm bully 2
start 2
run 3s
stop 3
run 1s
algorithm bully 3
start 3
run 5s
expect leader 1
expect problem 2 algorithm-differs
expect problem 3 algorithm-differs
mark m
stop 1
expect leaders 1 within 2200ms
expect no two leaders since m
expect one group of 2 within 2s
run 3s
expect no problem 2 algorithm-differs
