# SPDX-License-Identifier: Apache-2.0
# 4.11: a demotion is over so soon that the word of its end overtakes the first one: that is the end, and
# the first one, which comes later, begins no wait.
hosts 5
seeds 1..20
hook 1 5ms
set crash_wait all 3s
set priority 1 200
set priority 2 150
start all
expect leader 1 within 5 beacons
run 2s
delay Goodbye by 6500us from 1 count 4
kill 1
expect leader 2 within 15ms
expect always leader 2 for 1s
