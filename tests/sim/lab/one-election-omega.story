# SPDX-License-Identifier: Apache-2.0
# elections.md, omega: the lowest of four crashes: at the end of the next interval, or of the one
# after it, all follow the next. Its picture is drawn from this.
algorithm omega
hosts 4
start all
run 1s
expect leader 1
crash 1
expect leader 2 within 3 beacons
expect agree within 1 beacon
run 3s
expect agree
