# SPDX-License-Identifier: Apache-2.0
# A host with another beacon interval is heard, and it is said on all.
hosts 3
set beacon 3 300ms
set dead_after 3 900ms
start all
expect one group of 3 within 8 beacons
expect problem 3 timings-differ within 5 beacons
expect problem 1 timings-differ within 5 beacons
