# SPDX-License-Identifier: Apache-2.0
# elections.md, invitation: of 20 hosts that lose one datagram in five a group forms anew about twice a
# minute, and the leader stays. Five times 40 such minutes: 82 to 105 groups.
algorithm invitation
hosts 20
seeds 1..40
start all
run 5s
loss 200
mark m
run 60s
expect agree within 7s
expect in total formed <= 125 since m
expect in total made <= 1 since m
