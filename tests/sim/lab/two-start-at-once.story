# SPDX-License-Identifier: Apache-2.0
# S004 slide 7: two start, and who has sent a higher id swallows the lower one. Without, two ids go round
# and two rounds of results.
algorithm chang-roberts
hosts 5
start all
run 100ms
elect 1 3
expect elected 2 5 within 100ms
run 50ms
expect led
expect sent Election == 9
expect sent Elected == 5
expect made == 1
