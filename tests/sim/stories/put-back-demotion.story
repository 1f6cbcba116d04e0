# SPDX-License-Identifier: Apache-2.0
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
