# SPDX-License-Identifier: Apache-2.0
# F19: one lost datagram of each kind costs nobody its membership.
hosts 5
seeds 1..10
drop Invitation to 2
drop Accept from 3
drop Ready to 4
drop Ready_answer from 5
start all
expect one group of 5 within 4 beacons
expect formed == 1
