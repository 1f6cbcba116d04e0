# SPDX-License-Identifier: Apache-2.0
# elections.md, omega, C5: what an omega never settles in, invitation does: one group, one leader.
algorithm invitation
hosts 10
seeds 1..10
start all
run 3s
loss 200
run 60s
mark m
run 60s
expect agree within 7s
expect in total made <= 4 since m
