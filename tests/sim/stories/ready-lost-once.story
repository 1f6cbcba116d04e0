# SPDX-License-Identifier: Apache-2.0
# F19: the first list is lost to one host: the next copy comes 20 ms later.
hosts 5
seeds 1..10
set priority 1 200
drop Ready from 1 to 3 count 1
start all
at 670ms expect one group of 5
