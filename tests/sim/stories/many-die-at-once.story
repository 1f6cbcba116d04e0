# SPDX-License-Identifier: Apache-2.0
# F7: the first fifty in succession die together: nobody waits a step for each of them.
hosts 60
seeds 1..3
set priority 1..50 200
start all
expect led within 5 beacons
run 2s
crash 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
crash 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50
expect agree within 7 beacons
