# SPDX-License-Identifier: Apache-2.0
# S004 slide 7 as it is written: max(id, own) is passed on and nothing is discarded; `participant`, which
# slide 4 defines, is used nowhere. All start, and all n messages become the best one's:
# n*n + n(n - 1)/2 and n*n for what 3n - 1 do in all-start-at-once.
algorithm chang-roberts literal
hosts 5
start all
run 100ms
elect 1 2 3 4 5
run 200ms
expect elected 1 5
expect sent Election == 35
expect sent Elected == 25
