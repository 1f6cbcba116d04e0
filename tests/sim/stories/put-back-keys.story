# SPDX-License-Identifier: Apache-2.0
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
