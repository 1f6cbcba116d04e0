# SPDX-License-Identifier: Apache-2.0
# elections.md, frederickson-lynch: all five start together; the token of the lowest ends all others.
# Its picture is drawn from this.
algorithm frederickson-lynch
hosts 5
start all
run 100ms
elect 3
expect elected 5 1 within 200ms
run 50ms
expect led
expect sent Token <= 20
expect sent Elected == 5
