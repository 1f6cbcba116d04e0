# SPDX-License-Identifier: Apache-2.0
# Q1: a Hello of the leader that its own group has overtaken is no restart: nobody succeeds to it.
hosts 3
seeds 1..20
set priority 1 200
delay Hello from 1 by 800ms count 1
start all
expect leader 1 within 8 beacons
run 3s
expect formed == 1
expect made == 1
