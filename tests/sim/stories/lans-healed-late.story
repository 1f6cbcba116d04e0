# SPDX-License-Identifier: Apache-2.0
# algorithm.md 3, Ways: from a host's start one of two LANs carries nothing that it says. Long after,
# when it asks by that LAN rarely, that is mended, and the other one begins to fail so, or is lost.
# What is heard, but has not answered, counts in doubt.
hosts 5
lans 2
seeds 1..10
set priority 1 200
on 2 cut 2 > all
on 2 cut 3 > all
start all
expect leader 1 within 2s
expect one group of 5 within 2s
run 120s
mark whole
on 2 join 2 > all
on 1 cut 2 > all
on 2 join 3 > all
on 1 cut 3 - all
expect always no silent all for 20s
expect changes == 0 since whole
expect sent Ready == 0 since whole
