# SPDX-License-Identifier: Apache-2.0
# S5, electd-hooks(7): each leadership that begins after a demotion has a higher token, also where the
# same host leads again and nothing else has changed. The checker compares the tokens; here is how
# the host comes to lead again, how soon, and that it forms one group for it.
hosts 3
seeds 1..5
set priority 2 0
set priority 3 0
set dead_after all 1s
start 1
expect leader 1 within 3s

# Alone: it resigns, is held, becomes sick, has priority 0, its disk fails.
mark alone
resign 1 for 5s
expect role 1 none within 1 beacon
expect always role 1 none for 4s
expect role 1 leader within 1100ms
hold 1 on
expect role 1 none within 1 beacon
run 2s
hold 1 off
expect role 1 leader
expect formed == 2 since alone
priority 1 0
expect role 1 none within 1 beacon
priority 1 100
expect role 1 leader
disk 1 failing
hold 1 on
expect role 1 none within 1 beacon
run 1s
disk 1 well
hold 1 off
expect role 1 leader within 10s
report 1 web sick fall 1 rise 1 stale 1h
expect role 1 none within 1 beacon
run 1s
report 1 web well fall 1 rise 1 stale 1h
expect role 1 leader within 3s
expect formed == 5 since alone

# It stands still.
stall 1 2s
run 2s
expect role 1 none within 100ms
expect role 1 leader within 3s
expect formed == 6 since alone

# Where members may not lead: they follow the new group, and are without a leader for no longer.
start 2 3
expect one group of 3 within 3s
expect led within 1s
mark members
hold 1 on
expect leaders 0 within 1 beacon
run 1s
hold 1 off
expect leader 1 within 300ms
expect one group of 3 within 300ms
expect role 2 follower within 1 beacon
expect role 3 follower within 1 beacon
expect formed == 1 since members
stall 1 2s
run 2s
expect leaders 0 within 100ms
expect leader 1 within 2s
expect one group of 3
expect role 2 follower within 1 beacon
expect role 3 follower within 1 beacon
run 100ms
expect no change for 5s

# The carrier is lost and back.
link 1 down
expect role 1 none
run 500ms
link 1 up
expect leader 1 within 10s
expect one group of 3 within 5s
run 2s

# The quorum is lost, and met again.
set quorum all 3
run 1s
mark quorum
cut 3 - 1
expect role 1 none within 2s
join 3 - 1
expect leader 1 within 5s
expect one group of 3 within 5s
run 1s
expect no change for 5s
