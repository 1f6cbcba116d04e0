# SPDX-License-Identifier: Apache-2.0
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
