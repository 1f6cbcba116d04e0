#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# D1 in figures: an older copy of a state file is put back in PAIRS independent pairs of the stories
# old-state (alone) and old-state-told (with hosts that know of later starts). Fails if more than
# one pair in 200 uses a group id twice, or one host is not told. FIRST is the first seed.
set -u

usage="usage: tests/sim/old_state.sh [PAIRS [FIRST]]"
case ${1:-} in -*) echo "$usage" >&2; exit 2 ;; esac
srcdir=${srcdir:-$(dirname "$0")/../..}
electsim=${ELECTSIM:-./electsim}
pairs=${1:-20}
first=${2:-1000}
twice=0
untold=0

play()
{
	"$electsim" story --seed "$2" --only "$1" "$srcdir/tests/sim/stories/disk.story"
}

for ((seed = first; seed < first + pairs; seed++)); do
	alone=$(play old-state "$seed") || {
		# any other failure is a bug
		grep -q "BROKEN S3" <<<"$alone" || { echo "$alone"; exit 1; }
		twice=$((twice + 1))
	}
	told=$(play old-state-told "$seed") || { untold=$((untold + 1)) last=$told; }
done
echo "$pairs pairs: $twice with a group id twice, $untold not told"
if [ $untold -gt 0 ]; then
	echo "$last"
	exit 1
fi
[ $twice -le $(((pairs + 199) / 200)) ]
