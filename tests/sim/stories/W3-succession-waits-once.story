# SPDX-License-Identifier: Apache-2.0
# W3: a hundred members challenge their successor at moments of their own, and accept at once then:
# they need not wait for another such moment.
hosts 100
seeds 1..2
start all
expect one group of 100 within 80 beacons
run 1s
kill leader
expect led within 12ms
