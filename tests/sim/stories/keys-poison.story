# SPDX-License-Identifier: Apache-2.0
# trust.md 4: while there is no key anybody can forge the highest sequences of all members under the
# built-in key. That moves no window, before and while the key is brought to all, and nothing that a
# member sends is refused.
hosts 5
seeds 1..10
start all over 500ms
expect led within 5s
keys all receive-only 1
run 1s
expect key 1 accepted
poison all
expect always led for 2s
keys all permissive 1
expect one group of 5 within 10s
run 2s
poison all
run 2s
expect one group of 5
expect key 0 unsent
keys all enforce 1
mark done
run 5s
expect one group of 5
expect refused == 0 since done
