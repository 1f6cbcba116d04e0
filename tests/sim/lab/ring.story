# SPDX-License-Identifier: Apache-2.0
#
# The two-phase ring: a list goes around and its best host is announced (elections.md, ring).

story lost-acknowledgement
# S001 IV-C, V-B: an acknowledgement is lost, and the message is repeated: acknowledged again, and not
# forwarded again. Without numbers two lists would go round.
algorithm ring
hosts 4
start all
run 100ms
drop Ack from 2
elect 1
expect elected 3 4 within 100ms
run 50ms
expect led
expect sent Gather == 5
expect sent Announce == 4
expect messages == 8

story ring-altered
# S000 fig. 6: a host changes the payload: both digests are reported, and the election stands. A digest
# in the message would not show it, because the host could change both.
algorithm ring
hosts 4
start all
run 100ms
alter Gather at 3
elect 1
run 100ms
expect report 1 "altered: expected 85bf46c87943997b5a677f123e8b3971, current c1ca007bc01788b033f6d5def63b69a5"
expect report 1 "confirmed"
expect elected 1 4
expect elected 3 4
expect led
expect elections == 1

story ring-best-is-not-told
# S000 fig. 4, and the best host is not told: two hosts know a coordinator that does not know itself.
# Without a timeout for its silence they would follow it for ever.
algorithm ring
hosts 4
start all
run 100ms
crash 3 when it sends Ack skip 1
elect 1
expect elected 2 4 within 50ms
expect elected 1 4
expect no elected 4 4
expect elected nobody
run 500ms
expect elected nobody
expect elected 4 4 within 1500ms
expect led within 1s
expect elections >= 2

story ring-commander-dead
# S000 fig. 2: without a commander there is no election.
algorithm ring
hosts 4
start 2 3 4
elect 1
expect refusal "a commander cannot be dead at gathering"

story ring-commanders
# C2: nothing keeps hosts from commanding at once: when the leader of 20 crashes, nearly all do, and
# each finds the same best host. Counted are the elections begun in 40 such crashes.
algorithm ring
hosts 20
seeds 1..40
start all
run 3s
mark m
crash 20
run 3s
expect leader 19
expect in total elections == 665 since m

story ring-dead-at-confirmation
# S000 fig. 4: a host dies with the announcement: the hosts behind it do not get it, and have another
# view until a heartbeat. Without the wait the commander would not know.
algorithm ring
hosts 4
start all
run 100ms
crash 2 when it sends Ack skip 1
elect 4
expect report 4 "gathered" within 50ms
expect elected 1 4 within 50ms
run 50ms
expect no elected 3 4
expect elected 3 4 within 300ms
expect report 4 "failed in confirmation" within 1s
expect no report 4 "confirmed"
expect led
expect elections == 1

story ring-dead-at-gathering
# S000 fig. 3: a host dies with the list: it has acknowledged it and forwarded nothing, so no host skips
# it. Without the commander's wait, and then the watchdog, all would wait for ever.
algorithm ring
hosts 4
seeds 1..5
start all
run 100ms
crash 3 when it sends Ack
elect 4
expect always elected nobody for 900ms
expect report 4 "failed in gathering" within 200ms
expect elected nobody
expect elected 1 4 within 1s
expect elected 2 4 within 200ms
expect elected 4 4 within 300ms
run 2s
expect led

story ring-success
# S000 fig. 1: a list goes round and its best host is announced; four messages each.
algorithm ring
hosts 4
start all
elect 1
run 100ms
expect elected 1 4
expect elected 3 4
expect sent Gather == 4
expect sent Announce == 4
expect report 1 "confirmed"

story ring-unaltered
# S000 fig. 5: no host changes the payload, and nothing is reported. Compare ring-altered.
algorithm ring
hosts 4
start all
run 100ms
elect 1
run 100ms
expect no report 1 "altered"
expect report 1 "confirmed"
expect elected 2 4
expect led
