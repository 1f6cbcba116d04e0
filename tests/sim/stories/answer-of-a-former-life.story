# SPDX-License-Identifier: Apache-2.0
# trust.md 3: an answer nobody asked for proves nothing. Both hosts lose what they knew; then an old
# answer and an old Invitation of 2, who is dead, come again: 1 does not follow them.
hosts 2
set priority 2 200
start 2
expect leader 2 within 15 beacons
start 1
expect one group of 2 within 5 beacons
run 1s
crash 1 2
start 1
run 100ms
replay Challenge_answer from 2 to 1
run 10ms
replay Invitation from 2 to 1 in 5ms
expect always no state 1 reorganizing for 300ms
