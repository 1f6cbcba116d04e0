# SPDX-License-Identifier: Apache-2.0
# 4.12: who reports falls silent: that is sickness. The next word counts at once.
hosts 2
set priority 1 200
start all
expect leader 1 within 5 beacons
report 1 pg well rise 5 stale 2s
run 1900ms
expect leader 1
expect leader 2 within 400ms
expect sick 1
report 1 pg well rise 5 stale 60s
expect no sick 1
