# SPDX-License-Identifier: Apache-2.0
#
# Lossy LANs: one datagram of five is lost; which algorithm keeps its leader (elections.md).

story loss-is-no-delay-to-invitation
# omega, C5: invitation settles where no omega does: one group, one leader.
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
# omega, C5: one question an interval, one datagram of five lost: the hosts change their leader for
# ever, however long the interval is. Compare loss-is-no-delay-to-invitation.
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
# bully: 20 hosts lose one datagram in five. No host comes or goes, and elections of all are rare: 3
# groups in ten such minutes. Five times 40 such minutes: 9 to 12 groups.
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
# invitation: 20 hosts lose one datagram in five. A group forms anew about twice a minute, and the
# leader stays. Five times 40 such minutes: 82 to 105 groups.
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
