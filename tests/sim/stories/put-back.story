# SPDX-License-Identifier: Apache-2.0
#
# Snapshots: a virtual machine is put back to a snapshot with memory (sessions.md, Put back).

story put-back-after-a-leader
# A follower is put back to a snapshot of the time of the former leader, on a LAN that loses one
# datagram in ten. The next leader notices despite the large gap in its windows since the election.
hosts 12
seeds 1..30
start 12
run 1s
start 1..11
expect led within 10s
run 5s
loss 100
run 60s
snapshot 1
run 1s
crash 12
run 20s
mark back
put-back 1
run 5s
expect in total anew >= 29 since back

story put-back-demotion
# The snapshot is of the middle of a demotion, for a yield, and for a stop, which goes on.
hosts 3
seeds 1..20
start 1
run 1s
start 2 3
hook 1 3s
expect leader 1 within 3s
expect one group of 3 within 3s
resign 1
run 1s
snapshot 1
expect led within 10s
expect one group of 3 within 3s
run 10 min
mark back
put-back 1
run 1s
expect anew == 1 since back
expect one group of 3 within 3s
expect always one group of 3 for 5s
expect made == 0 since back

story put-back-follower
# A virtual machine that follows is put back to a snapshot with memory. Its session continues with
# sequences that the others have received, so they drop its messages as copies. Without the rule it is
# dropped from its group, and leads next to the leader until its sequences have caught up.
hosts 3
seeds 1..8
start 3
run 1s
start 1 2
expect leader 3 within 3s
expect one group of 3 within 3s

# The snapshot is so recent that its sequences are in the windows of the others.
run 2s
snapshot 1
run 10s
mark back
put-back 1
expect reason 1 put-back within 2s
expect one group of 3 within 3s
expect always leader 3 for 5s
expect one group of 3
expect made == 0 since back
expect formed == 0 since back

# The snapshot is so old that its sequences are below those windows.
snapshot 1
run 36s
mark back
put-back 1
expect reason 1 put-back within 2s
expect one group of 3 within 3s
expect always one group of 3 for 5s
expect made == 0 since back
expect formed == 0 since back

# The host is put back to the same snapshot again, an hour later.
run 1 h
mark back
put-back 1
expect reason 1 put-back within 2s
expect one group of 3 within 3s
expect always one group of 3 for 5s
expect made == 0 since back
expect formed == 0 since back

# The group has another leader than at the snapshot.
crash 3
expect led within 3s
start 3
run 2s
mark back
put-back 1
expect one group of 3 within 3s
expect always one group of 3 for 5s
expect made <= 1 since back

story put-back-former-leader
# A host has yielded, and five seconds later its machine is put back to a snapshot in which it led.
# Since then the next leader has received from it only sequences above a large gap, because a leader
# sends to many. It reports the put-back nevertheless.
hosts 12
seeds 1..30
start 1
run 1s
start 2..12
expect leader 1 within 10s
expect one group of 12 within 10s
run 60s
snapshot 1
run 20s
resign 1 to 2
run 5s
expect no leader 1
mark back
put-back 1
run 3s
expect in total anew >= 29 since back

story put-back-insider
# sessions.md, A session: an attacker without a key forges the highest sequences of a member and of the
# coordinator. They move no window: no host begins a new session, and the group and its leader stay.
hosts 3
seeds 1..20
start 3
run 1s
start 1 2
expect leader 3 within 3s
expect one group of 3 within 3s
run 2s
mark forged
poison 1
run 3s
poison 3
run 3s
expect anew == 0 since forged
expect one group of 3
expect always one group of 3 for 5s
expect leader 3
expect made == 0 since forged

story put-back-keys
# With a key file: recordings of messages from and to the host since its snapshot are played while it is
# put back. They delay nothing, and no leader changes.
hosts 4
seeds 1..20
keys all enforce 1
start 4
run 1s
start 1..3
expect leader 4 within 3s
expect one group of 4 within 3s
run 2s
snapshot 1
run 36s
hostile 100
run 1s
mark back
put-back 1
run 2s
expect one group of 4 within 4s
run 5s
hostile 0
run 3s
expect always one group of 4 for 5s
expect leader 4
expect made == 0 since back

story put-back-lans
# Two LANs, and loss. A seeming copy by the other LAN is a sign of a put-back, too.
hosts 4
lans 2
seeds 1..8
start 4
run 1s
start 1..3
expect leader 4 within 3s
expect one group of 4 within 3s
run 2s
snapshot 1 2
run 6s
mark back
put-back 1
run 2s
expect anew == 1 since back
expect one group of 4 within 1s
expect always one group of 4 for 5s
expect made == 0 since back
run 1 h
loss 100
mark back
put-back 1 2
run 5s
expect anew >= 1 since back
expect one group of 4 within 5s
loss 0
run 5s
expect always one group of 4 for 5s
expect leader 4

story put-back-leader
# The machine of the leader is put back to a snapshot with memory, in which it led. The host gives the
# role up at once, and does not lead next to the next leader; no token is used twice (S5).
hosts 5
seeds 1..8
start 1
run 1s
start 2..5
expect leader 1 within 3s
expect one group of 5 within 3s

# The host still leads. The others hear its new session, and do not wait for its silence.
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

# Two sessions later its leader has forgotten this one and yields to it, until another member, which has
# not, reports what it has heard of it: the leader leads again.
run 1 h
mark back
put-back 1
run 3s
expect one group of 5
expect always one group of 5 for 5s
expect formed <= 1 since back
expect made <= 1 since back

story put-back-long-ago
# Since the snapshot the members' sequences have advanced by more than is accepted at once. The leader
# refuses the Challenges that report the sequences it has used, and must notice nevertheless.
hosts 3
seeds 1..3
start 3
run 1s
start 1 2
expect leader 3 within 3s
expect one group of 3 within 3s
run 2s
snapshot 3
run 10 h
mark back
put-back 3
expect reason 3 put-back within 2s
expect one group of 3 within 3s
expect made <= 1 since back

story put-back-quorum
# With a quorum of more than half, two hosts lead only until the first report to the one that was put
# back. That host is in no quorum before its promises since the snapshot have ended (6).
hosts 5
seeds 1..20
set quorum all 3
start 1
run 100ms
start 2..5
expect led within 3s
expect one group of 5 within 3s
run 2s
snapshot 1 2 3 4 5
run 36s
mark back
put-back 2
run 1s
expect anew == 1 since back
expect one group of 5 within 2s
expect always one group of 5 for 5s
expect made <= 1 since back

# Two hosts at once, and later the others one after another. A coordinator that was put back, too, does
# not know the host, and reports nothing to it.
mark back
put-back 4 5
run 1s
expect anew >= 1 since back
expect one group of 5 within 2s
expect always one group of 5 for 5s
expect led
put-back 1
run 3s
put-back 2
run 3s
put-back 3
run 3s
expect one group of 5
expect always one group of 5 for 5s
expect led
