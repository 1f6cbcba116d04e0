# SPDX-License-Identifier: Apache-2.0
#
# Keys: a key is introduced or changed on running hosts (keys.md).

story keys-busy-lan
# A first key and three rotations on a LAN that loses 5 %, while hosts join and leave. No leader is
# lost, and no message is refused because of its key. A host that is off gets its files, too.
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

story keys-first
# Five running hosts get a first key, one by one, in three rounds. Without the rounds, or if a host
# takes two at once, some hosts do not hear others and two lead.
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

story keys-former-start
# A leader restarts between two steps of a roll-out, and is heard under the next key only. Messages of
# its former start under the previous key were recorded before the others heard them. They are not taken
# for another start: no host succeeds the leader.
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

story keys-leader-killed
# will.md: the leader's process is killed after each step of a roll-out, just after its own.
# Its will is believed, and it is replaced as fast as usual.
hosts 5
seeds 1..20
start all over 500ms
expect led within 5s
run 1s
keys all receive-only 1
run 10ms
kill leader
expect led within 100ms
restart 1..5
expect one group of 5 within 5s
expect key 1 accepted within 1s
keys all permissive 1
run 10ms
kill leader
expect led within 100ms
restart 1..5
expect one group of 5 within 5s
expect key 0 unsent within 1s
keys all enforce 1
run 10ms
kill leader
expect led within 100ms
restart 1..5
expect one group of 5 within 5s
keys all enforce 1 2
expect key 2 accepted within 1s
keys 1 enforce 2 1
run 10ms
kill leader
expect led within 100ms
restart 1..5
expect one group of 5 within 5s

story keys-missed-host
# The barrier: a host that a round left out is named, and no host goes on; nothing is split. With force
# the LAN is split: that host hears no other.
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

story keys-poison
# Without a key anyone can forge the highest sequences of all members under the built-in key. That moves
# no window, before and while the key is introduced, and no message of a member is refused.
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

story keys-quorum
# quorum.md: with a quorum members answer beacons and need no AYThere. The answers have the
# members' keys, too, so these are not lost with one datagram. No host loses its role.
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

story keys-restart-between
# A host that starts between two steps of the recipe uses its files of that moment, and is understood by
# all others. If a start meant "enforce" it would be alone.
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

story keys-rotation
# From one key to the next, twice: added on all hosts, used, removed.
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

story keys-will
# will.md, keys.md: the copy of a leader's process is made anew with each new sending key.
# Under the former key its will would not be believed, and the others would wait for silence.
hosts 5
seeds 1..10
keys all enforce 1
start all over 500ms
expect led within 5s
run 1s
keys all enforce 1 2
run 1s
keys all enforce 2 1
run 1s
keys all enforce 2
run 100ms
mark killed
kill leader
expect led within 100ms
