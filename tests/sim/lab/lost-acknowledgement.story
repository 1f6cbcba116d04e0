# SPDX-License-Identifier: Apache-2.0
# S001 IV-C, V-B: an acknowledgement is lost, and the message comes again: acknowledged again, and not
# passed on again. Without numbers two lists would go round.
algorithm ring
hosts 4
start all
run 100ms
drop Ack from 2
elect 1
expect elected 3 4 within 100ms
run 50ms
expect led
expect sent Gather == 5
expect sent Announce == 4
expect messages == 8
