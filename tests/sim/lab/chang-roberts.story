# SPDX-License-Identifier: Apache-2.0
#
# Chang and Roberts: an id goes around a ring (elections.md, chang-roberts).

story all-start-at-once
# S004 slide 7: all start; ids rise along the ring, so each meets a higher one at once: 3n - 1 messages.
# Without participants (max-without-participants) the same host is elected n times.
algorithm chang-roberts
hosts 5
start all
run 100ms
elect 1 2 3 4 5
expect elected 4 5 within 100ms
run 50ms
expect led
expect sent Election == 9
expect sent Elected == 5
expect made == 1

story healed-split-of-a-ring
# S001 IV-B: two sides of a split have a coordinator each. When they hear each other, the later election
# wins, then the better host; otherwise there are two for ever, or each healed split is an election.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
elect 1
run 200ms
expect leader 5
split 1 2 3 | 4 5
run 5s
expect leaders 2
mark m
heal
expect leaders 1 within 2 beacons
expect led within 2 beacons
expect leader 3
run 2s
expect elections == 0 since m

story initiator-dies
# S001 IV-C, third rule: a message of an election whose initiator is dead goes no further, and the
# watchdogs decide. Otherwise it would circulate although no host could end it.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
crash 1 when it sends Election
elect 1
expect always elected nobody for 450ms
expect elections == 1
expect elected 5 5 within 700ms
expect elected 2 5 within 300ms
expect led within 300ms

story max-dies-on-the-way
# S004 slide 7 knows no deaths: the best host dies with its id in transit, which no host removes.
# Without a limit of hops it would go round for ever; the watchdog begins another election.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
crash 5 when it sends Election
elect 1
expect always elected nobody for 450ms
expect sent Election <= 25
expect elected 4 4 within 700ms
expect elected 1 4 within 300ms
expect led within 300ms

story max-without-participants
# S004 slide 7 as it is written: max(id, own) is forwarded and nothing is discarded; no slide uses
# `participant` of slide 4. All start, and all n messages become the best one's: n*n + n(n - 1)/2 and
# n*n instead of the 3n - 1 of all-start-at-once.
algorithm chang-roberts literal
hosts 5
start all
run 100ms
elect 1 2 3 4 5
run 200ms
expect elected 1 5
expect sent Election == 35
expect sent Elected == 25

story skip-dead-neighbour
# S001 IV-C: a host that acknowledges none of five tries is skipped, once in an election: 2n + d
# messages with n = 4 living and d = 3, and the five unread ones. Otherwise the election would end at
# the dead neighbour, or wait for it in each round.
algorithm chang-roberts
hosts 5
start 1 2 4 5
run 100ms
elect 1
expect elected 5 5 within 200ms
run 50ms
expect led
expect sent Election == 12
expect sent Elected == 4
expect elections == 1

story stalled-host-of-a-ring
# suspicion.md, Own lateness: a host that stalled adds its own lateness, because the coordinator was not silent.
# Otherwise each stall would cause an election.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
elect 1
run 200ms
expect leader 5
mark m
stall 2 2s
run 4s
expect elections == 0 since m
expect always leader 5 for 1s

story temporary-fault
# S001 IV-A, III-D: a host that returns before its neighbour gives it up has its id still, and the
# message reaches it by a repeat: one election, and all five forward the result.
algorithm chang-roberts
hosts 5
start all
run 100ms
crash 3
elect 1
run 50ms
restart 3
expect elected 3 5 within 100ms
run 50ms
expect led
expect elections == 1
expect sent Elected == 5

story two-start-at-once
# S004 slide 7: two start, and a host that has sent a higher id discards the lower one. Otherwise two
# ids go round and two rounds of results.
algorithm chang-roberts
hosts 5
start all
run 100ms
elect 1 3
expect elected 2 5 within 100ms
run 50ms
expect led
expect sent Election == 9
expect sent Elected == 5
expect made == 1

story watchdog-mid-election
# S001 IV-A: a host dies with a message that it has acknowledged, and without a watchdog the election
# would never end. All living hosts took part in it, so the silence of a coordinator does not end it.
algorithm chang-roberts
hosts 5
seeds 1..5
start all
run 100ms
crash 3 when it sends Ack
elect 4
expect always elected nobody for 450ms
expect elections == 1
expect elected 5 5 within 600ms
expect elected 1 5 within 300ms
expect led within 300ms
expect elections >= 2
