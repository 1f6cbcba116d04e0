# SPDX-License-Identifier: Apache-2.0
# elections.md, lcr: one calls, all five start together, and their ids rise along the ring: 3n - 1
# messages, and the call. Its picture is drawn from this.
algorithm lcr
hosts 5
start all
run 100ms
elect 2
expect elected 4 5 within 100ms
run 50ms
expect led
expect sent Start == 1
expect sent Election == 9
expect sent Elected == 5
