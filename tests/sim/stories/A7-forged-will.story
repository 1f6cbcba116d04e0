# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.11, trust.md 3: somebody without a key sends the last will of a leader that lives, and
# those of members, once and again and again. The others elect anew; the living host answers their
# Challenges, and soon there is one group of all, with one leader.
hosts 4
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
poison 1 will
run 500ms
expect one group of 4 within 3s
expect led within 2s
expect always led for 5s
poison 2 will
poison 3 will
expect one group of 4 within 3s
expect led within 2s
run 1s
expect no change for 5s
poison 1 will every 1ms for 10s
run 13s
expect one group of 4 within 3s
expect led within 2s
run 1s
expect no change for 5s
