# SPDX-License-Identifier: Apache-2.0
# S000 fig. 6: a host on the way changes the payload: reported with both digests, and the election
# stands. A digest that came with the message would not show it, for a joker changes both.
algorithm ring
hosts 4
start all
run 100ms
alter Gather at 3
elect 1
run 100ms
expect report 1 "altered: expected 85bf46c87943997b5a677f123e8b3971, current c1ca007bc01788b033f6d5def63b69a5"
expect report 1 "confirmed"
expect elected 1 4
expect elected 3 4
expect led
expect elections == 1
