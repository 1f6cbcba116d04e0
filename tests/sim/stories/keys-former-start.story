# SPDX-License-Identifier: Apache-2.0
# trust.md 4: a leader starts anew between two steps of a roll-out, and is heard by the next key alone.
# What its former start said under the key before it, recorded where the others had not heard it, is
# not taken for another start: nobody succeeds to it.
hosts 4
seeds 1..20
set priority 1 200
set preempt all on
start 1
run 500ms
start 2..4
expect leader 1 within 5s
keys all receive-only 1
expect key 1 accepted within 1s
keys all permissive 1
expect key 0 unsent within 1s
crash 1
run 1s
restart 1
expect one group of 4 within 5s
expect leader 1 within 5s
run 1s
mark m
former 200
expect always leader 1 for 10s
expect formed == 0 since m
