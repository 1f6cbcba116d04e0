# SPDX-License-Identifier: Apache-2.0
# 4.14: a split LAN, one part of which elects by bully, heals. Two lead until a beacon has come, was
# asked for and answered: nothing else of its sender is waited for.
hosts 5
seeds 1..20
algorithm bully 4..5
split 1..3 | 4..5
start all
expect leaders 2 within 5s
run 2s
mark m
heal
run 3s
expect no role 4 leader
expect no role 5 leader
expect leaders 1
expect two-led-ms <= 245 since m
