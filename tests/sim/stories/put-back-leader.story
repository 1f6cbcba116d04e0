# SPDX-License-Identifier: Apache-2.0
# trust.md 3, put back: the machine of the leader is put back to a snapshot with memory, in which it led.
# The host gives the role up at once, and does not lead next to the next leader; no token is used twice (S5).
hosts 5
seeds 1..20
start 1
run 1s
start 2..5
expect leader 1 within 3s
expect one group of 5 within 3s

# The host leads still. The others hear its new session, and do not wait for its silence.
run 2s
snapshot 1
run 36s
mark back
put-back 1
expect reason 1 put-back within 1s
expect led within 2s
expect one group of 5 within 3s
expect always led for 5s
expect one group of 5
expect made <= 1 since back
expect two-led-ms == 0 since back

# The host follows by now. After the put-back it believes for less than a beacon that it leads.
mark back
put-back 1
expect reason 1 put-back within 1s
expect one group of 5 within 3s
expect always one group of 5 for 5s
expect made == 0 since back
expect formed <= 1 since back
expect two-led-ms < 250 since back

# Two sessions later its leader has forgotten this one and yields to it, until another member, which has not,
# reports what it has heard of it: the leader leads again.
run 1 h
mark back
put-back 1
run 3s
expect one group of 5
expect always one group of 5 for 5s
expect formed <= 1 since back
expect made <= 1 since back
