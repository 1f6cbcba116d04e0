# SPDX-License-Identifier: Apache-2.0
# Q1: an answer lost costs no role: who is missing is asked again, alone, in time.
hosts 2
seeds 1..20
set quorum all 2
start all
expect led within 6 beacons
mark led
loss 50
run 120s
expect made == 0 since led
expect datagrams <= 900 a host since led
