# SPDX-License-Identifier: Apache-2.0
# S001 IV-A, III-D: a host that is back before its neighbour gives it up has its id still, and the
# message finds it: one election, and all five pass the result on. Without repeats it would be left out.
algorithm chang-roberts
hosts 5
start all
run 100ms
crash 3
elect 1
run 50ms
restart 3
expect elected 3 5 within 100ms
run 50ms
expect led
expect elections == 1
expect sent Elected == 5
