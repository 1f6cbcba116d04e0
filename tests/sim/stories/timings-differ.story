# SPDX-License-Identifier: Apache-2.0
# A member with another beacon interval than its coordinator reports the difference.
hosts 3
seeds 1..20
set priority 1 200
set beacon 3 300ms
set dead_after 3 900ms
start all
expect one group of 3 within 8 beacons
expect problem 3 timings-differ within 5 beacons
