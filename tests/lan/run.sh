#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Real electds on a LAN of network namespaces: tests/lan/run.sh [full]. The programs to test lie in
# $BUILDDIR, or here. Without a word few repetitions, about two minutes; `full` is what the figures
# in the README are from. Each program can be run alone too. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export BUILDDIR=${BUILDDIR:-$PWD}
full=${1:-}
passed=0 failed=0 skipped=0

output=$(mktemp)
trap 'rm -f "$output"' EXIT

# step NAME PROGRAM ARGUMENT...: counts its `ok` and `FAILED` lines; 77 is "skipped".
step()
{
	local name=$1 program=$2 status
	shift 2
	python3 -B "$here/$program" "$@" 2>&1 | sed -u -E "s/^(ok|FAILED) /\1 $name, /" | tee "$output"
	status=${PIPESTATUS[0]}
	if [ "$status" = 77 ]; then
		skipped=$((skipped + 1))
		echo "SKIP $name: $(tail -n 1 "$output")"
		return
	fi
	passed=$((passed + $(grep -c '^ok ' "$output")))
	failed=$((failed + $(grep -c '^FAILED ' "$output")))
	# A program that ends with an error and without a word has failed too.
	if [ "$status" != 0 ] && ! grep -q '^FAILED ' "$output"; then
		failed=$((failed + 1))
		echo "FAILED $name: exit $status"
	fi
}

command -v python3 >/dev/null || {
	echo "SKIP lan: no python3"
	exit 77
}
case $full in
full)
	step steady steady.py 60
	step failover failover.py 30 100
	;;
'')
	step steady steady.py 10
	step failover failover.py 4 20
	;;
*)
	echo "usage: $0 [full]" >&2
	exit 2
	;;
esac
step badinput badinput.py
step trouble trouble.py
step memcheck memcheck.py

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
