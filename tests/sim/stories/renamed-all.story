# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.4: all hosts of a large group are called otherwise at once, as by one command to all of
# them. The names that are said while a list is under way are in the next one together. Without the rule
# each name causes a list, and 60 lists leave within a hundredth of a second.
hosts 60
seeds 1..3
set priority 1 200
set name all web
start 1
run 1s
start 2..60
expect one group of 60 within 10s
run 3s
mark m
set name all db
run 3s
expect name of 1 at 2 db
expect name of 30 at 2 db
expect name of 60 at 59 db
expect sent Ready <= 40 since m
expect regroupings == 0 since m
expect leader 1
