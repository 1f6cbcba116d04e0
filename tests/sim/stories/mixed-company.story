# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.9, 4.14: a host that runs another election is company, however long ago it was verified: a
# host that loses its link to it does not lead behind the dead cable.
hosts 2
seeds 1..5
algorithm bully 2
start all
run 90s
expect role 1 leader
link 1 down
run 3s
expect no role 1 leader
