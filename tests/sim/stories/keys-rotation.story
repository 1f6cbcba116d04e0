# SPDX-License-Identifier: Apache-2.0
# trust.md 4: from one key to the next, and to the next: added everywhere, used, removed.
hosts 5
seeds 1..10
keys all enforce 1
start all over 500ms
expect led within 5s
run 2s
mark began
keys all enforce 1 2
expect key 2 accepted within 1s
keys 1 enforce 2 1
run 100ms
keys 2..5 enforce 2 1
expect key 1 unsent within 1s
keys 3 enforce 2
run 100ms
keys all enforce 2
run 1s
keys all enforce 2 3
expect key 3 accepted within 1s
keys all enforce 3 2
expect key 2 unsent within 1s
keys all enforce 3
run 2s
expect one group of 5
expect formed == 0 since began
expect made == 0 since began
expect refused-keys == 0 since began
