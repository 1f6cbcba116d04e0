# SPDX-License-Identifier: Apache-2.0
# algorithm.md 4.4: as in renamed.story, with the bully algorithm, and at once: no member waits for the
# time of its next message.
hosts 4
algorithm bully
seeds 1..10
set priority 1 200
start all
expect leader 1 within 5s
expect one group of 4 within 5s
mark m
set name 3 web-3
set name 1 web-1
expect name of 3 at 1 web-3 within 300ms
expect name of 3 at 4 web-3 within 300ms
expect name of 1 at 4 web-1 within 300ms
expect regroupings == 0 since m
expect leader 1
