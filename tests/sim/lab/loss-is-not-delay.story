# SPDX-License-Identifier: Apache-2.0
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
