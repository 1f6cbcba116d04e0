# SPDX-License-Identifier: Apache-2.0
# S000 fig. 3: a host dies with the list in its hands: it has acknowledged it and passed nothing on, so
# nobody skips it. Without the commander's wait, and the watchdog after it, all would wait for ever.
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
