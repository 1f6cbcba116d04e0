#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# electd beside keepalived, corosync, etcd and ucarp: the same faults on five hosts each, in network
# namespaces of their own, as a table and a drawing:
#
#	sudo tests/bench/run.sh                        # within half an hour
#	sudo tests/bench/run.sh 3 --only electd,keepalived --beats 100
#	tests/bench/run.sh --help
#
# Installs from Debian what is missing, without starting its services, and builds electd in a
# temporary folder; with BUILDDIR=FOLDER it takes electd from there. Nothing else is left behind,
# also after Ctrl-C, but the folder with the results. On a machine that does something else
# meanwhile the figures are of that, too.
set -eu

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work='' inside='' made=''

clean_up()
{
	trap - EXIT
	# The namespaces and everything in them die with this one process.
	[ -z "$inside" ] || { kill -KILL "$inside" && wait "$inside"; } 2>/dev/null || :
	[ -z "$work" ] || rm -rf "$work"
	[ -z "$made" ] || rm -rf "$made"
}

# All output into a log that is shown only when it fails.
quietly()
{
	"$@" >"$work/log" 2>&1 && return
	tail -n 30 "$work/log" >&2
	exit 1
}

build()
{
	mkdir "$work/tree"
	tar -C "$source" --exclude=.git --exclude='*.o' --exclude='*.a' -cf - . |
		tar -C "$work/tree" -xf -
	cd "$work/tree"
	# A tree that was built in place brings its own answers along.
	rm -f Makefile config.status config.cache
	quietly autoreconf -fi
	quietly ./configure --disable-tests
	quietly make -j"$(nproc)" electd electctl
	cd "$OLDPWD"
}

main()
{
	local code results=()
	case " $* " in
	*' --help '* | *' -h '*) exec python3 -B "$source/tests/bench/bench.py" --help ;;
	esac
	[ "$(id -u)" = 0 ] || {
		echo "This needs root, for packages and namespaces: sudo $0" >&2
		exit 1
	}
	PATH=$PATH:/usr/sbin:/sbin # where the peers are
	trap clean_up EXIT
	trap 'echo; exit 130' INT TERM HUP
	work=$(mktemp -d "${TMPDIR:-/tmp}/electd-bench-build.XXXXXX")
	if [ -z "${BUILDDIR:-}" ]; then
		"$source/tests/deps.sh" build
		echo "Building electd in $work" >&2
		build
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
	# In the background, so that a signal is served here at once.
	python3 -B "$source/tests/bench/bench.py" "${results[@]}" "$@" &
	inside=$!
	wait "$inside" && code=0 || code=$?
	inside=
	# Half of a run is no result.
	[ "$code" != 0 ] || made=
	return "$code"
}

main "$@"
