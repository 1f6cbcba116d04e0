# SPDX-License-Identifier: Apache-2.0
# Those who have heard a better one greet leave it a step: one of all calls, once.
algorithm bully
hosts 20
seeds 1..10
start all
expect one group of 20 within 10 beacons
expect led
expect formed == 1
expect made == 1
expect election-datagrams < 8 a host
