# SPDX-License-Identifier: Apache-2.0
# elections.md, ring: a round to gather and a round to announce: 2n messages. Its picture is drawn from
# this.
algorithm ring
hosts 4
start all
run 100ms
elect 1
expect elected 4 4 within 100ms
run 50ms
expect led
expect sent Gather == 4
expect sent Announce == 4
