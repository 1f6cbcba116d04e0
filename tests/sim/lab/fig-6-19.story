# SPDX-License-Identifier: Apache-2.0
# S002 fig. 6.19: of processes 0 to 7 the last is dead and 4 notices; 5 and 6 answer and call, 6 answers
# 5, and wins: m*m + n - 2 = 15 messages with m = 3, those to the dead one included. Without the answer
# "stop" 4 and 5 would win as well.
algorithm bully-short
hosts 8
start 1..7
run 100ms
elect 5
expect elected 1 7 within 300ms
run 50ms
expect leader 7
expect led
expect no ever led 5
expect no ever led 6
expect sent Ok == 3
expect sent Coordinator == 1
expect messages == 15
