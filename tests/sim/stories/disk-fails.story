# SPDX-License-Identifier: Apache-2.0
# A host that cannot write its state follows and does not lead; another one does.
hosts 3
set priority 1 200
disk 1 failing
start all
expect led within 20 beacons
expect no role 1 leader
expect problem 1 not-persisted
disk 1 well
expect no problem 1 not-persisted within 40 beacons
