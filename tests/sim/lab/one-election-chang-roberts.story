# SPDX-License-Identifier: Apache-2.0
# elections.md, chang-roberts: one of five starts, three steps before the best: 2n + d messages, on the
# LAN as well. Its picture is drawn from this.
algorithm chang-roberts
hosts 5
start all
run 100ms
elect 2
expect elected 1 5 within 100ms
run 50ms
expect led
expect sent Election == 8
expect sent Elected == 5
