# SPDX-License-Identifier: Apache-2.0
# S000 fig. 5: nobody changes the payload, and nothing is reported. A check that always complains
# would be none.
algorithm ring
hosts 4
start all
run 100ms
elect 1
run 100ms
expect no report 1 "altered"
expect report 1 "confirmed"
expect elected 2 4
expect led
