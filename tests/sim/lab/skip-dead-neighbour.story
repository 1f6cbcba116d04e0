# SPDX-License-Identifier: Apache-2.0
# S001 IV-C: who acknowledges none of five is skipped, and the message goes to the one behind it, once in
# an election: 2n + d messages with n = 4 living and d = 3, and the five that nobody read. Without, the
# election would end at the dead neighbour; or wait for it in each round.
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
