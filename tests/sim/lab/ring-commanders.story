# SPDX-License-Identifier: Apache-2.0
# elections.md, ring, C2: nothing keeps hosts from commanding at once: when the leader of 20 crashes, nearly
# all do, and each finds the same best host. Counted are elections that were begun, in 40 such crashes.
algorithm ring
hosts 20
seeds 1..40
start all
run 3s
mark m
crash 20
run 3s
expect leader 19
expect in total elections == 665 since m
