# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.11, trust.md 4: the copy of a leader's process is made anew with the key that is
# sent: by the former key nobody believes what it says, and the others wait for silence.
hosts 5
seeds 1..10
keys all enforce 1
start all over 500ms
expect led within 5s
run 1s
keys all enforce 1 2
run 1s
keys all enforce 2 1
run 1s
keys all enforce 2
run 100ms
mark killed
kill leader
expect led within 100ms
