# SPDX-License-Identifier: Apache-2.0
# others, S6: what is not proven counts not, however often it is said: recordings, or somebody who
# answers nothing. It costs a Challenge a beacon and host, and nothing is told
seeds 1..5
hosts 4
start all
expect led within 4s
expect one group of 4
run 2s
mark before
insider AYNormal silent every 50ms
expect always no problem 1 algorithm-differs for 20s
expect no problem 2 algorithm-differs
expect sent Challenge <= 101 a host since before
expect formed == 0 since before
expect changes == 0 since before
