# SPDX-License-Identifier: Apache-2.0
# Q1: a quorum set on hosts that run, one after the other, changes nobody's role; while they differ
# its members say so.
hosts 3
seeds 1..20
set priority 1 200
start all
expect leader 1 within 6 beacons
run 2s
mark m
set quorum 1 2
run 700ms
set quorum 2 2
run 700ms
set quorum 3 2
run 3s
expect made == 0 since m
expect formed == 0 since m
expect problem 3 quorum-differs
expect no problem 1 no-quorum
run 60s
expect no problem 1 quorum-differs
expect no problem 2 quorum-differs
expect no problem 3 quorum-differs
