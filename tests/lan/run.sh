#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Real electds on a LAN of network namespaces: tests/lan/run.sh [full]. The programs to test lie in
# $BUILDDIR, or here. Without a word few repetitions, about three minutes; `full` is what the figures
# in the README are from, 35 minutes. Each program can be run alone too. Two run at a time, each in
# namespaces of its own: the first lane has those that measure, the second those that need time or
# a processor. What a program prints appears when it has ended. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export BUILDDIR=${BUILDDIR:-$PWD}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/counts"

# step NAME PROGRAM ARGUMENT...: counts its `ok` and `FAILED` lines; 77 is "skipped".
step()
{
	local name=$1 program=$2 output=$work/$1 begin=$SECONDS status passed failed skipped=0
	shift 2
	python3 -B "$here/$program" "$@" >"$output" 2>&1
	status=$?
	sed -i -E "s/^(ok|FAILED) /\1 $name, /" "$output"
	passed=$(grep -c '^ok ' "$output")
	failed=$(grep -c '^FAILED ' "$output")
	if [ "$status" = 77 ]; then
		skipped=1
		echo "SKIP $name: $(tail -n 1 "$output")" >"$output"
	# A program that ends with an error and without a word has failed too.
	elif [ "$status" != 0 ] && [ "$failed" = 0 ]; then
		failed=1
		echo "FAILED $name: exit $status" >>"$output"
	fi
	echo "    $name: $((SECONDS - begin)) s" >>"$output"
	flock "$work/counts" cat "$output"
	echo "$passed $failed $skipped" >>"$work/counts"
}

command -v python3 >/dev/null || {
	echo "SKIP lan: no python3"
	exit 77
}

# The judge itself first: nothing runs for that.
measured_default()
{
	step judged judged.py
	step steady steady.py 10
	step failover failover.py 4 20
	step control control.py 8
	step stalls stalls.py 8
	step hostile hostile_clients.py 1.5
	step disks disks.py
}

others_default()
{
	step blackbox blackbox.py --seconds 80
	step reloads reloads.py 20
	step reload reload.py 20
	step hooks hooks.py
	others
}

measured_full()
{
	step judged judged.py
	step steady steady.py 60
	step failover failover.py 30 100
	step control control.py 30
	step stalls stalls.py 100
	step hostile hostile_clients.py 5
	step disks disks.py 10
	step frozen hooks.py frozen 30
}

others_full()
{
	step blackbox blackbox.py --seconds 1800 --faults 300
	step reloads reloads.py 200
	step reload reload.py 20
	step hooks hooks.py
	step handovers hooks.py handovers 200
	others
}

others()
{
	step badinput badinput.py
	step trouble trouble.py
	step electctl electctl.py
	step holders holders.py
	step clock clock.py
	step memcheck memcheck.py
}

case ${1:-default} in
full | default) which=${1:-default} ;;
*)
	echo "usage: $0 [full]" >&2
	exit 2
	;;
esac
"measured_$which" &
"others_$which" &
wait

read -r passed failed skipped < <(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' \
	"$work/counts")
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
