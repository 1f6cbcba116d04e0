# SPDX-License-Identifier: Apache-2.0
# elections.md, bully-short: the best of five is dead, the third notices: m² + n - 2 messages with m = 2,
# multicast to all above at once. Its picture is drawn from this.
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
