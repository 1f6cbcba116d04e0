# SPDX-License-Identifier: Apache-2.0
# A link that works one way only makes a living session look like a recording. When it is whole again,
# they find each other, whichever of them was deaf to the other.
hosts 2
seeds 1..20
cut 2 > 1
start all
run 30s
heal
expect one group of 2 within 5 beacons
crash 1 2
cut 1 > 2
start all
run 30s
heal
expect one group of 2 within 5 beacons
