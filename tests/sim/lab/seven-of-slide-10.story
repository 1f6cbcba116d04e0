# SPDX-License-Identifier: Apache-2.0
# S004 slide 10: seven processes, P5 starts, and P7 has the highest id. (The drawing's order is lost; here
# ids rise along the ring.) P5's own probe is refused, and that is what makes P7 a candidate.
algorithm hirschberg-sinclair
hosts 7
start all
run 100ms
elect 5
expect elected 5 7 within 300ms
run 100ms
expect led
expect leader 7
expect no ever led 5
expect sent Elected == 7
expect elections == 1
