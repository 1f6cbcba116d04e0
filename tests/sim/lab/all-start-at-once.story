# SPDX-License-Identifier: Apache-2.0
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
