# SPDX-License-Identifier: Apache-2.0
# Who begins to lead, or to follow, some time after its group was formed says why that was, not who has
# come or gone meanwhile.
hosts 3
seeds 1..10
start 1
expect state 1 normal within 3s
start 2
expect one group of 2 within 1s
expect reason 1 joined
start 3
expect one group of 3 within 1s
expect leaders 0
expect reason 2 joined
expect cause 2 3
expect leader 1 within 2s
expect reason 1 alone
expect role 2 follower within 1 beacon
expect role 3 follower within 1 beacon
expect reason 2 joined
expect cause 2 1
expect cause 3 1

# A demotion names what it was asked for, whoever leaves while it runs.
hook all 300ms
hold 1 on
run 100ms
stop 3
expect one group of 2 within 100ms
run 50ms
expect leader 1
expect leader 2 within 1s
expect reason 2 coordinator-resigned
