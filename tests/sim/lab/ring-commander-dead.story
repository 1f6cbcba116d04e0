# SPDX-License-Identifier: Apache-2.0
# S000 fig. 2: without a commander there is no election.
algorithm ring
hosts 4
start 2 3 4
elect 1
expect refusal "a commander cannot be dead at gathering"
