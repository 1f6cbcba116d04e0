# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Functions for scripts that work in steps and leave no temporary file behind: install.sh, demo.sh and
# tests/bench/run.sh. These use `set -e`, and set `source` to the folder of their source tree.

work=''   # a temporary folder, deleted when the script ends
inside='' # a process; its namespaces and everything in them end with it
made=''   # a folder of results that are not complete yet

clean_up()
{
	trap - EXIT
	trap '' INT TERM HUP # a second Ctrl-C must not stop the cleaning
	[ -z "$inside" ] || { kill -KILL "$inside" && wait "$inside"; } 2>/dev/null || :
	# A process that was killed there may still write for a moment.
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

steps=0 # how many lines of the present step's output count as progress; 0: unknown
each='' # which lines these are

# how_far: the progress of the present step
how_far()
{
	local part
	[ "$steps" -gt 0 ] || return 0
	part=$(($(step_output | grep -cE "$each") * 100 / steps))
	echo "$((part < 99 ? part : 99)) %"
}

remedy='' # what the user can do if the present step fails

# explain: print what the user can do about the step that has failed
explain()
{
	case $(step_output | tail -n 40) in
	*'Could not get lock'* | *'Unable to lock'* | *'Unable to acquire the dpkg'*)
		echo "Another program uses apt now. Try again when it has ended."
		;;
	*cdrom:*)
		echo "apt asks for a CD-ROM: remove the line from /etc/apt/sources.list and try again."
		;;
	*'emporary failure'* | *'ould not resolve'* | *'ould not connect'* | *'Unable to connect'* | \
		*'unreachable'* | *'Connection failed'* | *'Connection timed out'* | *'Failed to fetch'*)
		echo "apt cannot reach its archives: check the network, and what /etc/apt/sources.list"
		echo "and /etc/apt/sources.list.d name."
		;;
	*'No space left'* | *'enough free space'*) echo "The disk is full." ;;
	*'unmet dependencies'* | *'o be installed'* | *'no installation candidate'* | \
		*'Unable to locate'*)
		echo "apt does not find all packages that building needs. They are in the component"
		echo "\"main\" of Debian 12 and newer."
		;;
	*downgrade*) echo "A newer electd is installed. To go back, remove that one first." ;;
	*) [ -z "$remedy" ] || echo "$remedy" ;;
	esac
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
	echo >&2
	explain >&2
	case $log in
	"$work"/*) ;; # deleted at the end
	*) echo "The whole output is in $log." >&2 ;;
	esac
	exit 1
}

# step_output: the output of the present step, which is the last one in the log
step_output()
{
	awk '/^---- / { text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' "$log"
}

# ---- packages of Debian ----------------------------------------------------------------------------

# refuse LINE...: end, because a condition is not met
refuse()
{
	printf '%s\n' "$@" >&2
	exit 1
}

# `room MB FOLDER`: end if less space is free in the folder
room()
{
	local free
	[ -d "$2" ] || refuse "The folder $2 does not exist."
	free=$(($(df --output=avail -k "$2" | tail -n 1) / 1024))
	[ "$free" -ge "$1" ] || refuse "$2 has $free MB of free space; $1 MB are needed there."
}

# planned PATTERN: the two parts of PATTERN in apt's plan, number and unit, one pair in a line
planned()
{
	sed -nE "s/$1/\1 \2/p" "$work/plan"
}

# megabytes: a size of the plan, rounded up
megabytes()
{
	tr -d , | awk '{ n += $1 * ($2 == "GB" ? 1000 : $2 == "MB" ? 1 : 0.001) }
		END { print int(n) + (n > int(n)) }'
}

print_plan()
{
	local code=0
	"$@" >"$work/plan" || code=$?
	cat "$work/plan"
	return $code
}

# install_packages PLAN COMMAND...: in two steps, if packages are missing. PLAN is a command without
# arguments; it prints what apt is going to install, and COMMAND installs it.
install_packages()
{
	local count fetch disk
	step_of_build "Asking apt which packages are missing" print_plan "$1"
	count=$(planned '^([0-9]+) upgraded, ([0-9]+) newly installed.*' | awk '{ print $1 + $2 }')
	[ "${count:-0}" -gt 0 ] || return 0
	fetch=$(planned '^Need to get ([0-9.,]+) (.?B)[ \/].*' | megabytes)
	disk=$(planned '^After this operation, ([0-9.,]+) (.?B) of additional.*' | megabytes)
	room $((disk + 200)) /usr
	steps=$((count * 2)) each='^(Unpacking|Setting up) '
	step_of_build "Installing $count packages (fetches $fetch MB, takes $disk MB)" "${@:2}"
	steps=0
}

# ---- electd ------------------------------------------------------------------------------------------

# build: build electd and electctl in $work/tree, a copy of the source tree
build()
{
	mkdir "$work/tree"
	tar -C "$source" --exclude=.git --exclude='*.o' --exclude='*.a' -cf - . |
		tar -C "$work/tree" -xf -
	cd "$work/tree"
	# The copy of a tree that was built in place contains old results of configure.
	rm -f Makefile config.status config.cache
	step_of_build "Preparing (autoreconf)" autoreconf -fi
	step_of_build "Looking at this machine (configure)" ./configure --disable-tests
	step_of_build "Building (make)" make -j"$(nproc)" electd electctl
	cd "$OLDPWD"
}
