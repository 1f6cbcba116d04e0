# SPDX-License-Identifier: Apache-2.0
# 4.12: with nobody_well = stay a thing that all need takes the lead from nobody; the first that is
# well again has it.
hosts 3
seeds 1..10
set sick_stays all on
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
report 2..3 db sick
run 1s
mark m
report 1 db sick
expect always role 1 leader for 5s
report 3 db well
expect leader 3 within 5 beacons
expect no two leaders since m
report 3 db sick
expect always role 3 leader for 3s
