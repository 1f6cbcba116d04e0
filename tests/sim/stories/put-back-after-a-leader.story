# SPDX-License-Identifier: Apache-2.0
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
