# SPDX-License-Identifier: Apache-2.0
# trust.md 4: a first key comes to five hosts that run, host by host, in three rounds. Without the
# rounds, or with a host that takes two at once, some do not hear others and two lead.
hosts 5
seeds 1..10
start all over 500ms
expect led within 5s
run 2s
mark began
keys 1 receive-only 1
expect no key 1 accepted
expect key 1 unsent
run 300ms
keys 2..5 receive-only 1
expect key 1 accepted within 1s
keys 1 permissive 1
expect key 1 accepted
expect no key 0 unsent
run 300ms
keys 2..5 permissive 1
expect key 1 sent within 1s
expect key 0 unsent
keys 1 enforce 1
run 300ms
keys 2..5 enforce 1
run 2s
expect one group of 5
expect key 1 sent
expect formed == 0 since began
expect made == 0 since began
expect refused-keys == 0 since began
expect two-led-ms == 0 since began
