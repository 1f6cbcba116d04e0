# SPDX-License-Identifier: Apache-2.0
# 20 hosts start within a second.
hosts 20
seeds 1..10
start all over 1s
run 1s
expect one group of 20 within 3 beacons
expect led within 3 beacons
run 2s
expect made == 1
expect election-datagrams <= 8 a host
