# SPDX-License-Identifier: Apache-2.0
# trust.md 4, the barrier: a host that was missed in a round is named, and nobody goes on; nothing is
# split. With force it is: that host hears nobody any more.
hosts 5
seeds 1..10
start all over 500ms
expect led within 5s
mark began
keys 1..4 receive-only 1
run 1s
expect blocked 1 permissive 1 by 5
expect blocked 4 permissive 1 by 5
keys 5 receive-only 1
run 1s
expect no blocked 1 permissive 1
keys 1..4 permissive 1
run 1s
expect blocked 1 enforce 1 by 5
expect blocked 3 enforce 1 by 5
expect no blocked 5 permissive 1
expect one group of 5
expect made == 0 since began
expect refused-keys == 0 since began
keys 1..4 enforce 1 forced
expect groups 2 within 5s
keys 5 enforce 1 forced
expect one group of 5 within 8s
