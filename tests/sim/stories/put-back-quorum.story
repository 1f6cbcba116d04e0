# SPDX-License-Identifier: Apache-2.0
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
