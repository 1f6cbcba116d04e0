# SPDX-License-Identifier: Apache-2.0
# M6: an answer is on its way while its sender becomes the better one: the worse coordinator still
# invites, and is declined.
hosts 2
seeds 1..10
set quorum all 2
set priority 1 50
split 1 | 2
start all
run 4s
expect leaders 0
delay AYCoord_answer by 400ms from 1 count 100
heal
run 300ms
drop AYCoord from 1 to 2 count 4
priority 1 200
expect always no role 2 leader for 3s
expect leader 1
