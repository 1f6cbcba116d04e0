# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts that work in steps and leave no temporary file behind: install.sh; demo.sh and
# tests/bench/run.sh, which also build electd and run it in namespaces. These scripts have `set -e`, and
# the folder of their tree in `source`.

work=''   # a temporary folder, deleted when the script ends
inside='' # a process; its namespaces and everything in them end with it
made=''   # a folder of results that are not complete yet

clean_up()
{
	trap - EXIT
	trap '' INT TERM HUP # a second Ctrl-C must not stop the cleaning
	[ -z "$inside" ] || { kill -KILL "$inside" && wait "$inside"; } 2>/dev/null || :
	# A process that is ending in there may still write for a moment.
	for _ in 1 2 3; do
		rm -rf ${work:+"$work"} ${made:+"$made"} 2>/dev/null && break
		sleep 0.1
	done
}

# begin_work NAME: make the folder `work`, which is deleted when the script ends for any reason
begin_work()
{
	trap clean_up EXIT
	trap 'echo; exit 130' INT TERM HUP
	work=$(mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX")
}

# run_inside COMMAND...: run the command in the background and wait for it, so that a signal to this
# script is handled at once
run_inside()
{
	local code
	"$@" &
	inside=$!
	wait "$inside" && code=0 || code=$?
	inside=
	return "$code"
}

# how_far: the progress of the present step in a few letters. A script may replace it.
how_far()
{
	:
}

# explain: after a step has failed, what the user can do. A script may replace it.
explain()
{
	:
}

# count_seconds WORDS: show the line of a step again each second, until this process is ended
count_seconds()
{
	local begin=$SECONDS
	while sleep 1 && kill -0 $$ 2>/dev/null; do
		printf '\r%-60s %-18s' "$1 ..." "$((SECONDS - begin)) s $(how_far)"
	done
}

# step_of_build WORDS COMMAND...: one line of at most 80 columns; on a terminal it counts the seconds
# meanwhile. The output goes to the file `log`, or to a temporary one if there is none. If the command
# fails, the last lines of the output follow, and the script ends.
step_of_build()
{
	local words=$1 begin=$SECONDS counter='' code=0 log=${log:-$work/log}
	shift
	echo "---- $words" >>"$log"
	printf '%-60s ' "$words ..."
	if [ -t 1 ]; then
		count_seconds "$words" &
		counter=$!
	fi
	"$@" >>"$log" 2>&1 </dev/null || code=$?
	if [ -n "$counter" ]; then
		{ kill "$counter" && wait "$counter"; } 2>/dev/null || :
		printf '\r%-60s %-18s\r%-60s ' "$words ..." '' "$words ..."
	fi
	if [ $code = 0 ]; then
		echo "$((SECONDS - begin)) s"
		return
	fi
	echo "failed"
	step_output | tail -n 20 >&2
	explain >&2
	exit 1
}

# step_output: the output of the present step, which is the last one in the log
step_output()
{
	awk '/^---- / { text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' "$log"
}

# build: electd and electctl in $work/tree, a copy of the tree
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
