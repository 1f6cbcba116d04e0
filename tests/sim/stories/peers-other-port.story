# SPDX-License-Identifier: Apache-2.0
# 3, Peers: the instance that is looked for has the third port of its host: it is found, though its
# port is not named.
hosts 3
seeds 1..10
multicast all off
port 1 7546
peers 2..3 1
start all
expect one group of 3 within 40 beacons
