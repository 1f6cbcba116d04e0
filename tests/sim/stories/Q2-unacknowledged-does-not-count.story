# SPDX-License-Identifier: Apache-2.0
# Q2: a host that never gets the list is no part of a quorum.
hosts 2
set quorum all 2
drop Ready to 2 count 1000000
drop Ready to 1 count 1000000
start all
run 30s
expect no ever led 1
expect no ever led 2
clear
expect led within 40s
