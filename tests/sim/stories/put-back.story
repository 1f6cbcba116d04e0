# SPDX-License-Identifier: Apache-2.0
#
# Snapshots: a virtual machine is put back to a snapshot with memory (trust.md 3).

story put-back-after-a-leader
# trust.md 3, put back: a follower is put back to a snapshot of the time of the former leader, on a LAN that
# loses one datagram in ten. The election has left a large gap in the windows of the next one, which tells it
# all the same.
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
# trust.md 3, put back: the snapshot is of the middle of a demotion: for a yield to another leader, and for
# a stop, which goes on.
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
# trust.md 3, put back: a virtual machine that follows is put back to a snapshot with memory. Its session
# goes on under numbers that the others have heard, so they drop all its words as copies. Without the rule
# it is put out of its group, and leads next to the leader until its numbers have caught up.
hosts 3
seeds 1..20
start 3
run 1s
start 1 2
expect leader 3 within 3s
expect one group of 3 within 3s

# The snapshot is so old that its numbers are in the windows of the others.
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

# The snapshot is so old that its numbers are below those windows.
snapshot 1
run 36s
mark back
put-back 1
expect reason 1 put-back within 2s
expect one group of 3 within 3s
expect always one group of 3 for 5s
expect made == 0 since back
expect formed == 0 since back

# Put back once more to the same snapshot, an hour later.
run 1 h
mark back
put-back 1
expect reason 1 put-back within 2s
expect one group of 3 within 3s
expect always one group of 3 for 5s
expect made == 0 since back
expect formed == 0 since back

# Its group has another leader than at the snapshot.
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
# trust.md 3, put back: a host has yielded, and five seconds later its machine is put back to a snapshot in
# which it led. The next leader has heard of it, since then, only sequences above a large gap, for a leader
# sends to many. It is told all the same.
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
# trust.md 3, *A session*: somebody without a key forges the highest sequences of a member, and then of
# the coordinator. A sequence so far ahead moves no window: nobody begins a new session, the group and
# its leader stay.
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
# trust.md 3, put back, with a key file: recordings of what the host has said since its snapshot, and of
# what was said to it, are played while it is put back. They delay nothing, and no leader changes.
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
# trust.md 3, put back: two LANs, and loss. What a window takes for a copy that came by the other LAN is
# a sign, too.
hosts 4
lans 2
seeds 1..20
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

story put-back-long-ago
# trust.md 3, put back: since the snapshot the members have sent more than a leap that is believed. The
# leader refuses the Challenges that tell it what it has used, and has to notice all the same.
hosts 3
seeds 1..8
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
# trust.md 3, put back: with a quorum of more than half no two lead for longer than it takes to tell the
# one that was put back; and it counts for nobody before what it may have answered since is over (6).
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

# Two at once, and later the others one after another. Whom its coordinator does not know, for that was put back itself, is
# not told, and goes on.
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
