# SPDX-License-Identifier: Apache-2.0
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
