# SPDX-License-Identifier: Apache-2.0
# F3: hosts that start within 20 ms. The inviter does not know all of them, and the Accept of the one it
# has to answer a Challenge first comes while the list is on its way: it joins at once, not when it
# accepts again 20 ms later.
hosts 5
seeds 1..60
start all over 20ms
at 626ms expect one group of 5
