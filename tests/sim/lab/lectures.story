# SPDX-License-Identifier: Apache-2.0
#
# Examples of the lectures: bully-short and hirschberg-sinclair as on a slide or in an exercise.

story fig-6-19
# S002 fig. 6.19: of processes 0 to 7 the last is dead and 4 notices; 5 and 6 answer and call, 6 answers
# 5, and wins: m*m + n - 2 = 15 messages with m = 3, those to the dead one included. Without "stop" 4
# and 5 win, too.
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

story random-start
# S002 Tarefa 2: each of three processes begins an election at a random moment from 30 to 60 s. At the
# end the best leads, whichever began last. Without numbers a late answer would end a later election.
algorithm bully-short
hosts 3
seeds 1..20
start all
run 30s
mark m
elect 1 2 3 over 30s
run 31s
expect leader 3
expect led
expect elected 1 3
expect elections == 3 since m
expect two-led-ms == 0

story seven-of-slide-10
# S004 slide 10: seven processes, P5 starts, and P7 has the highest id. (The drawing's order is lost;
# here ids rise along the ring.) P5's own probe is refused, and that makes P7 a candidate.
algorithm hirschberg-sinclair
hosts 7
start all
run 100ms
elect 5
expect elected 5 7 within 300ms
run 100ms
expect led
expect leader 7
expect no ever led 5
expect sent Elected == 7
expect elections == 1
