# SPDX-License-Identifier: Apache-2.0
# F16: the tenth of splits that follow each other quickly is healed as soon as the first.
hosts 5
seeds 1..20
start all
expect led within 5 beacons
run 2s
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
run 400ms
split 1 2 | 3 4 5
run 600ms
expect leaders 2 within 10 beacons
heal
expect led within 2 beacons
