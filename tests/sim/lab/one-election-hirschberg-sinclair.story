# SPDX-License-Identifier: Apache-2.0
# elections.md, hirschberg-sinclair: the best of five is asked by its neighbour and probes to a distance
# of 1, 2, 4 and 8, the last time around the ring. Its picture is drawn from this.
algorithm hirschberg-sinclair
hosts 5
start all
run 100ms
elect 4
expect elected 2 5 within 200ms
run 50ms
expect led
expect sent Elected == 5
