# SPDX-License-Identifier: Apache-2.0
# S5 by bully: a leadership that begins after a demotion has a higher token, for which there is an
# election of all. The checker compares the tokens.
hosts 3
algorithm bully
seeds 1..5
set priority 2 0
set priority 3 0
start 1
expect leader 1 within 3s
mark alone
resign 1 for 5s
expect role 1 none within 1 beacon
expect always role 1 none for 4s
expect role 1 leader within 1200ms
hold 1 on
expect role 1 none within 1 beacon
run 2s
hold 1 off
expect role 1 leader within 300ms
expect formed == 2 since alone
start 2 3
expect one group of 3 within 3s
expect led within 1s
run 1s
mark members
hold 1 on
expect leaders 0 within 1 beacon
run 1s
hold 1 off
expect leader 1 within 500ms
expect one group of 3
expect formed == 1 since members
run 1s
expect no change for 5s
