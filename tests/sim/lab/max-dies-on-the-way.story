# SPDX-License-Identifier: Apache-2.0
# S004 slide 7 knows no deaths: the best dies with its id on the way, and nobody is left to hear it.
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
