# SPDX-License-Identifier: Apache-2.0
# 4.14: hosts of one LAN elect by different algorithms: invitation goes on, and who elects by bully does
# not lead, whatever its priority. Without the rule of strength two lead for ever.
hosts 5
seeds 1..10
algorithm bully 4..5
set priority 5 200
start all
run 10s
expect problem 4 algorithm-differs
expect problem 1 algorithm-differs
expect same group 1 2
expect same group 1 3
expect leaders 1
mark m
run 60s
expect made == 0 since m
expect leaders 1
expect no role 4 leader
expect no role 5 leader
expect no two leaders since m
