# SPDX-License-Identifier: Apache-2.0
#
# One election of each algorithm; the pictures of elections.md are drawn from these.

story one-election-bully
# bully: the best of five crashes; the next asks above, and takes the others in three phases.
algorithm bully
hosts 5
set priority 5 200
set priority 4 150
start all
expect leader 5 within 2s
run 2s
crash 5
expect leader 4 within 2s
expect one group of 4 within 1 beacon
run 100ms

story one-election-bully-short
# bully-short: the best of five is dead, the third notices: m² + n - 2 messages with m = 2, by
# multicast.
algorithm bully-short
hosts 5
start 1..4
run 100ms
elect 3
expect elected 1 4 within 1s
run 50ms
expect led
expect sent Ok == 1
expect sent Coordinator == 1

story one-election-chang-roberts
# chang-roberts: one of five starts, three steps before the best: 2n + d messages, on the LAN as well.
algorithm chang-roberts
hosts 5
start all
run 100ms
elect 2
expect elected 1 5 within 100ms
run 50ms
expect led
expect sent Election == 8
expect sent Elected == 5

story one-election-frederickson-lynch
# frederickson-lynch: all five start together; the token of the lowest ends all others.
algorithm frederickson-lynch
hosts 5
start all
run 100ms
elect 3
expect elected 5 1 within 200ms
run 50ms
expect led
expect sent Token <= 20
expect sent Elected == 5

story one-election-hirschberg-sinclair
# hirschberg-sinclair: the best of five is asked by its neighbour and probes to a distance of 1, 2, 4
# and 8, the last time around the ring.
algorithm hirschberg-sinclair
hosts 5
start all
run 100ms
elect 4
expect elected 2 5 within 200ms
run 50ms
expect led
expect sent Elected == 5

story one-election-lcr
# lcr: one calls, all five start together, and their ids rise along the ring: 3n messages with the call.
algorithm lcr
hosts 5
start all
run 100ms
elect 2
expect elected 4 5 within 100ms
run 50ms
expect led
expect sent Start == 1
expect sent Election == 9
expect sent Elected == 5

story one-election-omega
# omega: the lowest of four crashes: by the end of the second interval at most, all follow the next.
algorithm omega
hosts 4
start all
run 1s
expect leader 1
crash 1
expect leader 2 within 3 beacons
expect agree within 1 beacon
run 3s
expect agree

story one-election-omega-recovery
# omega-recovery: the lowest of four crashes and returns in its second life: another leads on.
algorithm omega-recovery
hosts 4
start all
run 2s
expect leader 1
crash 1
expect leader 2 within 6 beacons
run 2s
restart 1
expect always leader 2 for 3s
expect elected 1 2

story one-election-ring
# ring: a round to gather and a round to announce: 2n messages.
algorithm ring
hosts 4
start all
run 100ms
elect 1
expect elected 4 4 within 100ms
run 50ms
expect led
expect sent Gather == 4
expect sent Announce == 4
