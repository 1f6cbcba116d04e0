# SPDX-License-Identifier: Apache-2.0
# S001 IV-A: a host dies with the message that it has acknowledged. Without a watchdog the election would
# wait for ever. All that live have seen it, so it is not the silence of a coordinator that ends it.
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
