# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.9: a machine without a network leads itself, as long as nobody else can; one that
# had company for the last minute does not, unless it is told to.
hosts 2
start 1
expect leader 1 within 3s
link 1 down
expect problem 1 no-carrier
expect always role 1 leader for 5s
link 1 up
expect always role 1 leader for 5s

# Company lasts for a minute, also of one that said goodbye.
start 2
expect one group of 2 within 2s
stop 2
run 30s
expect role 1 leader
link 1 down
expect role 1 none
expect always role 1 none for 2 min
link 1 up
expect problem 1 nobody-heard
expect always role 1 none for 29s
expect leader 1 within 2s
expect no problem 1 nobody-heard
run 10s
link 1 down
expect always role 1 leader for 5s
link 1 up

# A port that has a carrier, but forwards nothing yet; and one whose cable is pulled again meanwhile.
start 2
expect one group of 2 within 3s
link 1 down
cut 1 - 2
run 70s
link 1 up
expect always role 1 none for 5s
link 1 down
expect always role 1 none for 5s
link 1 up
expect always role 1 none for 25s
expect role 2 leader
join 1 - 2
expect one group of 2 within 3s
expect led within 1s

# network.without_carrier = "lead": the peer's end of a crossed cable goes with its power.
set leads_without_carrier all on
link 1 down
link 2 down
crash 2
expect role 1 leader within 3s
expect always role 1 leader for 5s
start 2
expect role 2 leader within 3s
link 1 up
link 2 up
expect one group of 2 within 3s
expect led within 2s

# Told so, or not any more, while the cable is out.
link 1 down
expect role 1 leader within 3s
set leads_without_carrier 1 off
expect role 1 none
set leads_without_carrier 1 on
expect role 1 leader within 3s
