# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts that build electd from the tree they lie in, run it in namespaces, and leave
# nothing behind: demo.sh, tests/bench/run.sh. They have `set -e`, and their tree in `source`.

work=''   # a folder that is gone with the script
inside='' # a process, and with it the namespaces and everything in them
made=''   # a folder with results, as long as they are not whole

clean_up()
{
	trap - EXIT
	trap '' INT TERM HUP # whoever types Ctrl-C twice wants this all the more
	[ -z "$inside" ] || { kill -KILL "$inside" && wait "$inside"; } 2>/dev/null || :
	# Who is dying in there may still write for a moment.
	for _ in 1 2 3; do
		rm -rf ${work:+"$work"} ${made:+"$made"} 2>/dev/null && break
		sleep 0.1
	done
}

# begin_work NAME: `work` is there from now on, until the script ends, however that comes
begin_work()
{
	trap clean_up EXIT
	trap 'echo; exit 130' INT TERM HUP
	work=$(mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX")
}

# run_inside COMMAND...: waits for it, in the background, so that a signal is served here at once
run_inside()
{
	local code
	"$@" &
	inside=$!
	wait "$inside" && code=0 || code=$?
	inside=
	return "$code"
}

# step_of_build WORDS COMMAND...: its output is shown only when it fails
step_of_build()
{
	local words=$1 begin=$SECONDS
	shift
	printf '%-60s' "$words ..."
	if "$@" >"$work/log" 2>&1; then
		echo "$((SECONDS - begin)) s"
		return
	fi
	echo "failed"
	tail -n 30 "$work/log" >&2
	exit 1
}

# electd and electctl in $work/tree, a copy
build()
{
	mkdir "$work/tree"
	tar -C "$source" --exclude=.git --exclude='*.o' --exclude='*.a' -cf - . |
		tar -C "$work/tree" -xf -
	cd "$work/tree"
	# A tree that was built in place brings its own answers along.
	rm -f Makefile config.status config.cache
	step_of_build "Preparing (autoreconf)" autoreconf -fi
	step_of_build "Looking at this machine (configure)" ./configure --disable-tests
	step_of_build "Building (make)" make -j"$(nproc)" electd electctl
	cd "$OLDPWD"
}
