#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Compares electd with keepalived, corosync, etcd and ucarp: the same faults on five hosts each, in
# network namespaces of their own. The result is a table and a drawing:
#
#	sudo tests/bench/run.sh                        # within half an hour
#	sudo tests/bench/run.sh 3 --only electd,keepalived --beats 100
#	tests/bench/run.sh --help
#
# Installs missing packages from Debian, without starting their services, and builds electd in a
# temporary folder, or uses BUILDDIR=FOLDER. Only the folder with the results is left, and not even
# that after Ctrl-C. Other work of the machine changes the figures.
set -eu

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$source/tools/scratch.sh"

main()
{
	local results=()
	case " $* " in
	*' --help '* | *' -h '*) exec python3 -B "$source/tests/bench/bench.py" --help ;;
	esac
	[ "$(id -u)" = 0 ] || {
		echo "This needs root, for packages and namespaces: sudo $0" >&2
		exit 1
	}
	PATH=$PATH:/usr/sbin:/sbin # where the peers are
	begin_work electd-bench-build
	if [ -z "${BUILDDIR:-}" ]; then
		"$source/tests/deps.sh" build
		build >&2
		BUILDDIR=$work/tree
	fi
	BUILDDIR=$(cd "$BUILDDIR" && pwd)
	export BUILDDIR
	"$source/tests/deps.sh" bench
	case " $* " in
	*' --out'*) ;;
	*)
		made=$(mktemp -d "${TMPDIR:-/tmp}/electd-bench.XXXXXX")
		results=(--out "$made")
		;;
	esac
	run_inside python3 -B "$source/tests/bench/bench.py" "${results[@]}" "$@"
	made= # until here it was half of a run, which is no result
}

main "$@"
