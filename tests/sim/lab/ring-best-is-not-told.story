# SPDX-License-Identifier: Apache-2.0
# S000 fig. 4, and it is the best who is not told: two know a coordinator that knows nothing of it.
# Without patience for its silence they would follow it for ever.
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
