# SPDX-License-Identifier: Apache-2.0
# S001 IV-C, third rule: the message of an election whose initiator is dead goes no further, and the
# watchdogs decide. Without, it would be passed on behind the back of who could end it.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
crash 1 when it sends Election
elect 1
expect always elected nobody for 450ms
expect elections == 1
expect elected 5 5 within 700ms
expect elected 2 5 within 300ms
expect led within 300ms
