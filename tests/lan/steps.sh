# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by run.sh of this folder, of booted and of examples: runs the programs of a folder, with the
# daemons in $BUILDDIR or here. $ELECTD_LOGS, if set, gets a folder for each failed program, with its
# output and the logs of its hosts.

export BUILDDIR=${BUILDDIR:-$PWD}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
logs=${ELECTD_LOGS:-$work/logs}
mkdir -p "$logs"
: >"$work/counts"

# step NAME PROGRAM ARGUMENT...: counts its `ok` and `FAILED` lines, and prints its output at the
# end; status 77 is "skipped".
step()
{
	local name=$1 program=$2 output=$logs/$1/output begin=$SECONDS status passed failed skipped=0
	shift 2
	mkdir "$logs/$name" || {
		echo "FAILED $name: two steps have this name"
		echo "0 1 0" >>"$work/counts"
		return
	}
	ELECTD_LOGS=$logs/$name python3 -B "$here/$program" "$@" >"$output" 2>&1
	status=$?
	sed -i -E "s/^(ok|FAILED) /\1 $name, /" "$output"
	passed=$(grep -c '^ok ' "$output")
	failed=$(grep -c '^FAILED ' "$output")
	if [ "$status" = 77 ]; then
		skipped=1
		echo "SKIP $name: $(tail -n 1 "$output")" >"$output"
	# A program that exits with an error and prints nothing has failed, too.
	elif [ "$status" != 0 ] && [ "$failed" = 0 ]; then
		failed=1
		echo "FAILED $name: exit $status" >>"$output"
	fi
	[ "$failed" = 0 ] ||
		echo "  replay: BUILDDIR=$BUILDDIR python3 -B $here/$program $*" >>"$output"
	echo "    $name: $((SECONDS - begin)) s" >>"$output"
	flock "$work/counts" cat "$output"
	echo "$passed $failed $skipped" >>"$work/counts"
	[ "$failed" != 0 ] || rm -rf "${logs:?}/$name"
}

# queue: runs two programs at a time; standard input has lines PROGRAM ARGUMENT..., the longest runs
# first. A step has the name of its program.
queue()
{
	local program arguments waiting=0
	while read -r program arguments; do
		[ -n "$program" ] || continue
		[ "$waiting" -lt 2 ] || {
			wait -n
			waiting=$((waiting - 1))
		}
		# The arguments are words to be split.
		# shellcheck disable=SC2086
		step "$(basename "$program" .py)" "$program" $arguments </dev/null &
		waiting=$((waiting + 1))
	done
	wait
}

# total: the output of all failures, the closing line, and the status
total()
{
	local passed failed skipped folder
	for folder in "$logs"/*/; do
		[ -f "$folder/output" ] || continue
		echo "---- $(basename "$folder")"
		cat "$folder/output"
	done
	read -r passed failed skipped < <(awk '{ p += $1; f += $2; s += $3 }
		END { print p + 0, f + 0, s + 0 }' "$work/counts")
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

command -v python3 >/dev/null || {
	echo "SKIP lan: no python3"
	exit 77
}
