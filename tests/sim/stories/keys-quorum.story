# SPDX-License-Identifier: Apache-2.0
# trust.md 4, algorithm.md 6: with a quorum members answer beacons and need no AYThere: what they say
# of their keys stands in the answers, too, and is not lost with one datagram. Nobody loses the role.
hosts 5
seeds 1..20
set quorum all 3
start all over 500ms
expect led within 5s
loss 50
run 2s
mark began
keys all receive-only 1
drop AYThere count 1000
expect key 1 accepted within 5s
keys all permissive 1
expect key 0 unsent within 5s
keys all enforce 1
run 1s
keys all enforce 1 2
expect key 2 accepted within 5s
keys all enforce 2 1
expect key 1 unsent within 5s
keys all enforce 2
run 2s
expect made == 0 since began
expect two-led-ms == 0 since began
expect refused-keys == 0 since began
