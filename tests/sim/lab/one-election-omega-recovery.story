# SPDX-License-Identifier: Apache-2.0
# elections.md, omega-recovery: the lowest of four crashes and is back in its second life: another leads
# on. Its picture is drawn from this.
algorithm omega-recovery
hosts 4
start all
run 2s
expect leader 1
crash 1
expect leader 2 within 6 beacons
run 2s
restart 1
expect always leader 2 for 3s
expect elected 1 2
