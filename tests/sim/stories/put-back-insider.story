# SPDX-License-Identifier: Apache-2.0
# trust.md 3, put back: somebody without a key uses up the windows of a member in its name. Its words are
# refused like those of a machine that was put back; it begins a new session, and is a member again.
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
run 6s
expect anew >= 1 since forged
expect one group of 3 within 3s
expect always one group of 3 for 5s
expect leader 3
