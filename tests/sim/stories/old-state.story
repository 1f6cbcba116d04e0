# SPDX-License-Identifier: Apache-2.0
# D1: an older copy of the state, put back. Alone the host cannot know: the random step above its
# reserve keeps the two lives apart. No group id is used twice (asserted: S3); tests/sim/old_state.sh
# counts how often chance fails.
hosts 1
seeds 1..100
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
copy-state 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
expect no problem 1 state-old
stop 1
run 1s
put-back-state 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
crash 1
start 1
expect leader 1 within 3s
expect no problem 1 state-old
