# SPDX-License-Identifier: Apache-2.0
# S002 Tarefa 2: three processes, and each begins an election at a random moment from 30 to 60 s. One
# leads at the end, the best, whoever began last. Without numbers a late answer would end a later election.
algorithm bully-short
hosts 3
seeds 1..20
start all
run 30s
mark m
elect 1 2 3 over 30s
run 31s
expect leader 3
expect led
expect elected 1 3
expect elections == 3 since m
expect two-led-ms == 0
