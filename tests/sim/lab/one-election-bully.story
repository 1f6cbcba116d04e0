# SPDX-License-Identifier: Apache-2.0
# elections.md, bully: the best of five crashes; the next asks above, hears nobody, and takes the others in
# three phases. Its picture is drawn from this.
algorithm bully
hosts 5
set priority 5 200
set priority 4 150
start all
expect leader 5 within 2s
run 2s
crash 5
expect leader 4 within 2s
expect one group of 4 within 1 beacon
run 100ms
