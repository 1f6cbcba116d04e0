# SPDX-License-Identifier: Apache-2.0
#
# Lossy LANs: one datagram of five is lost; which algorithm keeps its leader.

story loss-is-no-delay-to-invitation
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

story loss-is-not-delay
# elections.md, omega, C5: one question an interval, one datagram of five lost: hosts change whom they
# follow for ever, however long the interval is. loss-is-no-delay-to-invitation is its twin.
algorithm omega literal
hosts 10
seeds 1..10
start all
run 3s
expect leader 1
loss 200
run 60s
mark m
run 60s
expect in total made >= 60 since m

story loss-of-a-fifth-bully
# elections.md, bully: of 20 hosts that lose one datagram in five nobody comes or goes, and hardly ever are
# all elected anew: 3 groups in ten such minutes. loss-of-a-fifth-invitation is its twin.
# Five times 40 such minutes: 9 to 12 groups.
algorithm bully
hosts 20
seeds 1..40
start all
run 5s
loss 200
mark m
run 60s
expect agree within 7s
expect in total formed <= 18 since m
expect in total made <= 0 since m

story loss-of-a-fifth-invitation
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
