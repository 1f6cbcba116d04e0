# SPDX-License-Identifier: Apache-2.0
# S000 fig. 4: a host dies with the announcement in its hands: who is behind it is not told, and has
# another view until a heartbeat tells it. Without the wait the commander would not know.
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
