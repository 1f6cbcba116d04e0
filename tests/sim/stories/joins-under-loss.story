# SPDX-License-Identifier: Apache-2.0
# R: one datagram in three is lost: Challenges and their answers, too. Who lives is not taken for deaf.
hosts 4
seeds 1..40
set priority 1 200
start all
expect one group of 4 within 3s
run 2s
loss 300
crash 4
restart 4
expect one group of 4 within 2500ms
