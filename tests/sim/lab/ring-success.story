# SPDX-License-Identifier: Apache-2.0
# S000 fig. 1: a list goes round and the best of it is announced; four messages each.
algorithm ring
hosts 4
start all
elect 1
run 100ms
expect elected 1 4
expect elected 3 4
expect sent Gather == 4
expect sent Announce == 4
expect report 1 "confirmed"
