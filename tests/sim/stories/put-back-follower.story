# SPDX-License-Identifier: Apache-2.0
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
