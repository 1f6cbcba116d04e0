# SPDX-License-Identifier: Apache-2.0
# others: somebody proven speaks another algorithm, a weaker one: all say so, and go on as before; a
# minute after it is gone nobody says so any more
seeds 1..5
hosts 4
start all
expect led within 4s
expect one group of 4
run 2s
mark before
insider AYNormal every 200ms
run 3s
expect problem 1 algorithm-differs
expect problem 2 algorithm-differs
expect problem 3 algorithm-differs
expect problem 4 algorithm-differs
expect formed == 0 since before
expect made == 0 since before
expect leaders 1
insider off
run 58s
expect problem 1 algorithm-differs
run 4s
expect no problem 1 algorithm-differs
expect no problem 4 algorithm-differs
expect formed == 0 since before
expect made == 0 since before
