# SPDX-License-Identifier: Apache-2.0
# trust.md 4: whoever starts between two lines of the recipe has what his files say by then, and is
# understood by all others. If a start meant "enforce" he would be alone.
hosts 5
seeds 1..10
start all over 500ms
expect led within 5s
keys all receive-only
crash 1
expect led within 5s
start 1
expect one group of 5 within 5s
keys all receive-only 1
crash 2
run 300ms
start 2
expect one group of 5 within 5s
run 1s
keys 1..3 permissive 1
crash 3 4
run 300ms
start 3 4
expect one group of 5 within 5s
run 1s
keys 4..5 permissive 1
run 1s
keys 1..2 enforce 1
crash 2 5
run 300ms
start 2 5
expect one group of 5 within 5s
run 1s
keys all enforce 1
crash 1
run 300ms
start 1
expect one group of 5 within 5s
expect always led for 3s
