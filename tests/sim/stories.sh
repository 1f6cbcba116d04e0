#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Plays every story of tests/sim/stories and tests/sim/lab, the seeds that once failed, and a few hundred random
# ones. SIM_SEEDS says how many of those (default 300), SIM_FIRST the first. Needs no network and no
# root; prints one line a story.
set -u

srcdir=${srcdir:-$(dirname "$0")/../..}
electsim=${ELECTSIM:-./electsim}
seeds=${SIM_SEEDS:-300}
first=${SIM_FIRST:-1}
failed=0

stories=("$srcdir"/tests/sim/stories/*.story)
if [ ! -e "${stories[0]}" ]; then
	echo "no story found in $srcdir/tests/sim/stories" >&2
	exit 1
fi
"$electsim" story "${stories[@]}" || failed=1
"$electsim" story "$srcdir"/tests/sim/lab/*.story || failed=1

while read -r line; do
	line=${line%%#*}
	[ -n "${line// /}" ] || continue
	# shellcheck disable=SC2086 # a line is several arguments
	output=$("$electsim" run $line) || { echo "$output"; failed=1; }
done <"$srcdir/tests/sim/seeds.txt"

"$electsim" run --seed "$first" --seeds "$seeds" --hosts 2..16 --faults all --jobs 2 || failed=1
exit $failed
