# SPDX-License-Identifier: Apache-2.0
# Counters are pushed in a floor, as a coordinator's group, as an Invitation of the best there is,
# by members' questions, and in steps: no group changes, no leader yields.
hosts 4
seeds 1..3
clocks 100
start all
expect led within 8 beacons
run 2s
mark m
insider Hello floor every 5ms
run 5s
insider AYCoord every 5ms
run 8s
insider Invitation every 5ms
run 5s
insider AYThere every 5ms
run 5s
insider Hello by 5000 every 5ms
run 5s
expect changes == 0 since m
insider AYCoord every 5ms
run 1s
crash leader
expect one group of 3 within 6 beacons
expect led within 1 beacon
insider off
run 8s
expect agree
