# SPDX-License-Identifier: Apache-2.0
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
