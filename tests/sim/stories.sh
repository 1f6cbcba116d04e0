#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/sim/stories.sh [NAME...]
#
# Plays every story of tests/sim/stories and tests/sim/lab, the seeds that once failed, and random
# seeds: SIM_SEEDS of them (default 100), from SIM_FIRST on. With names it plays only these stories.
# Needs no network and no root; prints one line a story.
set -u

srcdir=${srcdir:-$(dirname "$0")/../..}
electsim=${ELECTSIM:-./electsim}
seeds=${SIM_SEEDS:-100}
first=${SIM_FIRST:-1}
failed=0

case ${1:-} in -*) echo "usage: tests/sim/stories.sh [NAME...]" >&2; exit 2 ;; esac
for folder in stories lab; do
	files=("$srcdir/tests/sim/$folder"/*.story)
	[ -e "${files[0]}" ] || { echo "no story found in $srcdir/tests/sim/$folder" >&2; exit 1; }
done

files=("$srcdir"/tests/sim/{stories,lab}/*.story)
if [ $# -gt 0 ]; then
	"$electsim" story "${@/#/--only=}" "${files[@]}"
	exit
fi

# `electsim story` refuses a name that comes twice only in the files that it is given together.
twice=$(sed -n 's/^story //p' "${files[@]}" | sort | uniq -d)
[ -z "$twice" ] || { echo "several stories are called: $twice"; failed=1; }
# Two files at once, because one of them takes half of the time.
# shellcheck disable=SC2016 # for the inner shell
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P 2 sh -c \
	'said=$("$0" story "$1" 2>&1); status=$?; printf "%s\n" "$said"; exit $status' "$electsim" || failed=1

while read -r line; do
	line=${line%%#*}
	[ -n "${line// /}" ] || continue
	# shellcheck disable=SC2086 # a line is several arguments
	output=$("$electsim" run $line) || { echo "$output"; failed=1; }
done <"$srcdir/tests/sim/seeds.txt"

"$electsim" run --seed "$first" --seeds "$seeds" --hosts 2..16 --faults all --jobs 2 || failed=1
exit $failed
