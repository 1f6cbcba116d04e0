# SPDX-License-Identifier: Apache-2.0
# One of two hosts says Goodbye: the other one leads at once.
hosts 2
seeds 1..20
set priority 1 200
start all
expect leader 1 within 5 beacons
run 1s
stop 1
expect leader 2 within 1 beacon
expect reason 2 coordinator-stopped
