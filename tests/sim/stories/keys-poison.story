# SPDX-License-Identifier: Apache-2.0
# trust.md 4: what a key has proven is nothing to another one. While there is no key anybody can use
# up the windows of all members, and no host hears another one under the built-in key any more; as
# soon as the key is used they are one group, and none of their words is refused.
hosts 5
seeds 1..10
start all over 500ms
expect led within 5s
keys all receive-only 1
run 1s
expect key 1 accepted
poison all
expect no led within 5s
run 2s
keys all permissive 1 forced
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
