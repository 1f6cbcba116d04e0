# SPDX-License-Identifier: Apache-2.0
# F4: no Ready_answer of 3 ever arrives; the group goes on without waiting for it, and
# does not drop it before it was probed.
hosts 4
start all
drop Ready_answer from 3 count 100000
expect led within 6 beacons
expect made == 1
expect formed == 1
expect sent Accept == 3
