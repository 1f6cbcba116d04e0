# SPDX-License-Identifier: Apache-2.0
# trust.md 4: a first key and three rotations on a LAN that loses 5 %, while hosts join and leave: no
# leader is lost for it, and no word is refused for its key. A host that is off gets its files, too.
hosts 8
seeds 1..20
start 1..5 over 500ms
expect one group of 5 within 5s
set priority 6..8 0
loss 50
run 2s
mark began
keys all receive-only 1
start 6
expect one group of 6 within 10s
expect key 1 accepted within 10s
keys all permissive 1
start 7
expect one group of 7 within 10s
expect key 0 unsent within 10s
keys all enforce 1
stop 6
run 2s
keys all enforce 1 2
start 8
expect one group of 7 within 10s
expect key 2 accepted within 10s
keys all enforce 2 1
stop 7
run 1s
expect key 1 unsent within 10s
keys all enforce 2
start 6
run 2s
keys all enforce 2 3
stop 8
run 1s
expect key 3 accepted within 10s
keys all enforce 3 2
start 7
expect one group of 7 within 10s
expect key 2 unsent within 10s
keys all enforce 3
stop 6
run 2s
keys all enforce 3 4
start 8
expect one group of 7 within 10s
expect key 4 accepted within 10s
keys all enforce 4 3
start 6
expect one group of 8 within 10s
expect key 3 unsent within 10s
keys all enforce 4
run 3s
loss 0
expect one group of 8 within 10s
expect made == 0 since began
expect two-led-ms == 0 since began
expect refused-keys == 0 since began
