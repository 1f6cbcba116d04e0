# SPDX-License-Identifier: Apache-2.0
# 4.4: a leader is held, nobody else may lead, and its members hear so at once. A beacon from before,
# late on its way, does not make it their leader again.
hosts 3
seeds 1..20
set priority 2..3 0
start all
expect leader 1 within 6 beacons
run 1s
delay AYCoord from 1 to 3 by 300ms count 1
run 245ms
hold 1 on
expect no role 3 follower within 50ms
expect always no role 3 follower for 500ms
