#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# All tests: installs what is missing, builds with every compiler and checker, runs everything,
# and closes with a line "N passed, N failed". Works in a copy of the tree under $TMPDIR, up to four
# steps at a time, two of which mostly wait; the tree itself stays as it is.
set -u

usage()
{
	cat <<'TEXT'
usage: tests/run.sh [full] [--only STEP,...] [--keep] [--help]

Without arguments: every layer, with few seeds and repetitions, in 15 to 40 minutes on 2 cores.
full     the figures the project promises; three hours and more on a slow machine
--only   these steps and what they need; `--only help` lists them
--keep   leave builds and logs where they are, and say where; logs of what failed stay anyway
With CI=true a test that was skipped counts as failed.
TEXT
}

# ---- what runs ---------------------------------------------------------------------------------------

# NAME, what it mostly does, the steps it needs (commas, - for none), seconds it may take by default
# and in full. Of a kind, who stands first begins first: the long ones.
steps='
tree       computes -      60   60
gcc        computes tree   300  500
lan        waits    gcc    1300 9000
booted     waits    images 1200 7500
examples   waits    images 1200 6000
demo       waits    gcc    180  180
package    waits    gcc    400  2400
images     computes gcc    1200 1200
sanitizers computes tree   1500 2700
valgrind   computes gcc    1800 2700
clang      computes tree   1000 2400
check      computes gcc    800  1500
bounds     computes gcc    900  3600
changes    computes gcc    1200 9000
mutants    computes gcc    1100 3000
distcheck  computes tree   900  2400
seeds-1    computes gcc    900  3600
seeds-2    computes gcc    900  3600
lectures   computes gcc    600  1800
pushed     computes gcc    400  3600
disk       computes gcc    300  300
same-runs  computes gcc,clang 200 600
old-state  computes gcc    200  200
page       computes gcc    300  300
'

full=no
keep=no
only=
while [ $# -gt 0 ]; do
	case $1 in
	full) full=yes ;;
	--only)
		only=${2:?--only needs names of steps}
		shift
		;;
	--keep) keep=yes ;;
	--help)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
	shift
done
if [ "$only" = help ]; then
	awk 'NF { print $1 }' <<<"$steps"
	exit 0
fi

# choose DEFAULT FULL
choose()
{
	if [ $full = yes ]; then echo "$2"; else echo "$1"; fi
}

source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/electd-tests.XXXXXX")
tree=$work/tree
logs=$work/logs
mkdir -p "$logs"
chmod 755 "$work"

# ---- the steps -----------------------------------------------------------------------------------------

# What git tracks and what is new, as it stands now; all of it where there is no git.
step_tree()
{
	mkdir -p "$tree" && cd "$source" || return 1
	if git -c safe.directory='*' rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
			sort -zu | while IFS= read -r -d '' file; do
			if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi
		done | tar --null --files-from=- -cf - | tar -xf - -C "$tree"
	else
		cp -a . "$tree"
	fi
	cd "$tree" && autoreconf -i
}

# build NAME CONFIGURE-ARGUMENT...: build/NAME, and its test programs
build()
{
	local name=$1
	shift
	mkdir "$work/$name" && cd "$work/$name" || return 1
	"$tree/configure" -q --enable-werror "$@" && make -j2 && make -j2 check TESTS=
}

# check STEP NAME [TESTS]: those of build/NAME, or all; counted as the step's
check()
{
	local status
	cd "$work/$2" || return 1
	make -k -j2 check ${3:+TESTS="$3"}
	status=$?
	count_trs "$1" "$work/$2"
	return $status
}

step_gcc()
{
	build gcc CC=gcc
}

step_check()
{
	check check gcc
}

# By default without what the compiler has no part in: rules that are read from the tree, and stories,
# for those of clang are played with its sanitizers, and step_same-runs compares with gcc's.
step_clang()
{
	build clang CC=clang &&
		check clang clang "$(choose '$(UNIT_TESTS) $(FUZZ_TESTS) $(PLAIN_TESTS)' '')"
}

# clang's runtime sees more (function types, offsets of null), gcc is compiled with it above.
step_sanitizers()
{
	build sanitizers --enable-sanitizers CC=clang CFLAGS='-g -O1' &&
		check sanitizers sanitizers "$(choose '$(UNIT_TESTS) $(FUZZ_TESTS) $(SIM_TESTS)' '')"
}

# That what is packed is whole, builds, is installed and removed. By default nothing is optimized for
# that, and of the tests those run that read files of the tree; the others are only built.
step_distcheck()
{
	local with=() units
	mkdir "$work/dist" && cd "$work/dist" && "$tree/configure" -q || return 1
	if [ $full = no ]; then
		units=$(cd "$tree" && grep -rl --include='test_*.c' '"unit/page\.h"' tests/unit |
			sed 's/\.c$//')
		export SIM_SEEDS=1
		with=(DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0
			TESTS="${units//$'\n'/ } \$(FUZZ_TESTS) \$(SIM_TESTS) \$(TIDY_TESTS)")
	fi
	make -j2 distcheck "${with[@]}" && return
	failures "$work/dist"
	return 1
}

# valgrind_one PROGRAM: into a log of its own, which is shown if it fails; for some tests say FAILED of
# what is to fail.
valgrind_one()
{
	local log=$logs/valgrind/${1##*/}.log
	bash "$tree/tests/program.sh" "$1" >"$log" 2>&1 && return
	printf 'FAILED %s\n---- %s\n%s\n' "$1" "$1" "$(tail -n 60 "$log")"
}

# Two at a time, for many of them wait.
step_valgrind()
{
	local programs failed
	export srcdir=$tree TEST_SECONDS=600
	export TEST_WRAPPER='valgrind -q --error-exitcode=99 --leak-check=full'
	mkdir "$logs/valgrind" && cd "$work/gcc" || return 1
	programs=$(find tests/unit -name 'test_*' -type f -perm -u+x)
	xargs -P 2 -I{} bash -c 'valgrind_one {}' <<<"$programs"
	failed=$(grep -c '^FAILED tests/unit/' "$logs/valgrind.log")
	count valgrind $(($(wc -l <<<"$programs") - failed)) "$failed" 0
	[ "$failed" = 0 ] && [ -n "$programs" ]
}

# seeds NUMBER: one of two processes, each with its half
seeds()
{
	local each
	each=$(choose 2000 10000)
	cd "$work/gcc" || return 1
	./electsim run --seed $((1 + each * ($1 - 1))) --seeds "$each" --hosts 3..16 --faults all ||
		return 1
	./electsim run --seed $((1 + each * ($1 - 1))) --seeds $((each / 4)) --peers $((1 + 2 * ($1 - 1))) \
		--faults all || return 1
	[ $full = no ] || ./electsim run --seed $((1 + 100 * ($1 - 1))) --seeds 100 --hosts 100 \
		--faults all
}

step_seeds-1()
{
	seeds 1
}

step_seeds-2()
{
	seeds 2
}

# The elections of the lectures on the simulated LAN: what they promise within their model, and under
# all troubles, where a run may also end without agreement, and is counted.
step_lectures()
{
	local name faults
	cd "$work/gcc" || return 1
	for name in chang-roberts lcr ring hirschberg-sinclair frederickson-lynch bully-short omega \
		omega-recovery; do
		for faults in none all; do
			echo "$name, faults $faults:"
			./electsim run --algorithm $name --seeds "$(choose 100 2000)" --faults $faults ||
				return 1
		done
	done
}

# The counter pushed for a minute, and a leader killed in the middle, under clocks with rates.
step_pushed()
{
	cd "$work/gcc" && ./electsim story --seeds "$(choose 10 1000)" \
		"$tree/tests/sim/stories/counter-pushed.story"
}

# A seed is the same run whoever compiled it: compilers differ in the order in which they compute
# arguments, and so would what is drawn there.
step_same-runs()
{
	local seeds compiler
	seeds=$(choose 300 3000)
	for compiler in gcc clang; do
		"$work/$compiler/electsim" run --seed 1 --seeds "$seeds" --hosts 3..16 --faults all --hash |
			grep hash >"$logs/hashes.$compiler" || return 1
	done
	[ "$(wc -l <"$logs/hashes.gcc")" = "$seeds" ] || return 1
	if diff "$logs/hashes.gcc" "$logs/hashes.clang" >"$logs/hashes.diff"; then return 0; fi
	echo "$(grep -c '^<' "$logs/hashes.diff") of $seeds seeds are other runs with the other compiler:"
	head -n 5 "$logs/hashes.diff"
	return 1
}

step_bounds()
{
	cd "$work/gcc" && ./electsim bounds $(choose --quick '')
}

# Nobody dies, and nobody else leads: an hour of each scene, or a day.
step_changes()
{
	cd "$work/gcc" && ./electsim changes --hours "$(choose 1 24)"
}

# script NAME FILE ARGUMENT...: a script of the tree with its own closing line
script()
{
	local name=$1 file=$2 status
	shift 2
	cd "$work/gcc" || return 1
	srcdir=$tree HISTORY=$source BUILDDIR=$PWD ELECTD_LOGS=$logs/$name bash "$tree/$file" "$@"
	status=$?
	count_log "$name"
	return $status
}

step_mutants()
{
	script mutants tests/sim/mutants.sh $(choose '' full)
}

step_old-state()
{
	cd "$work/gcc" && srcdir=$tree bash "$tree/tests/sim/old_state.sh" $(choose 20 200)
}

# What electsim compares, as a page in a browser.
step_page()
{
	cd "$work/gcc" || return 1
	python3 -B "$tree/tests/sim/page.py" ./electsim
	local status=$?
	count_log page
	return $status
}

step_lan()
{
	script lan tests/lan/run.sh $(choose '' full)
}

# What they boot from, which is kept from one run to the next. If there is none, they say why.
step_images()
{
	cd "$work/gcc" && export BUILDDIR=$PWD &&
		bash "$tree/tests/lan/booted/run.sh" images &&
		bash "$tree/tests/examples/run.sh" images
}

# Hosts with systemd.
step_booted()
{
	script booted tests/lan/booted/run.sh $(choose '' full)
}

# What examples/ prints.
step_examples()
{
	script examples tests/examples/run.sh $(choose '' full)
}

# Built, installed, upgraded and purged; in full on Debian 12 and 13.
step_package()
{
	script package tests/package/run.sh $(choose '' full)
}

# Kills and faults at every system call of a save.
step_disk()
{
	STORE_SAVER=$work/gcc/tests/lan/store_saver script disk tests/lan/diskfaults.sh
}

# Succeeds only if everything it tells was seen to be true.
step_demo()
{
	script demo tools/demo.sh
}

# ---- counting --------------------------------------------------------------------------------------

# count NAME PASSED FAILED SKIPPED
count()
{
	echo "$2 $3 $4" >"$logs/$1.count"
}

# results FOLDER: what automake's test driver noted, FILE:RESULT a line
results()
{
	find "$1" -name '*.trs' -exec grep -H '^:test-result:' {} +
}

# failures FOLDER: the logs of what did not pass there go into ours, whole
failures()
{
	results "$1" | grep -E ':test-result: (FAIL|XPASS|ERROR|SKIP)' | cut -d: -f1 |
		while read -r file; do
			echo "---- ${file#"$1"/}"
			cat "${file%.trs}.log"
		done
}

# count_trs NAME FOLDER
count_trs()
{
	local results passed failed skipped
	results=$(results "$2")
	passed=$(grep -cE ':test-result: (PASS|XFAIL)' <<<"$results")
	skipped=$(grep -c ':test-result: SKIP' <<<"$results")
	failed=$(grep -cE ':test-result: (FAIL|XPASS|ERROR)' <<<"$results")
	# Nothing was tested: the build broke.
	[ $((passed + failed + skipped)) -gt 0 ] || failed=1
	count "$1" "$passed" "$failed" "$skipped"
	failures "$2"
}

# count_log NAME: from the script's own closing line, or from its TAP; else the status decides.
count_log()
{
	local line passed failed skipped
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$logs/$1.log" | tail -n 1)
	if [ -n "$line" ]; then
		count "$1" $(sed -E 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?.*/\1 \2 0\4/' \
			<<<"$line")
	elif grep -qE '^1\.\.[0-9]+' "$logs/$1.log"; then
		passed=$(grep -E '^ok ' "$logs/$1.log" | grep -ciEv '# *skip')
		skipped=$(grep -E '^ok ' "$logs/$1.log" | grep -ciE '# *skip')
		failed=$(grep -cE '^not ok ' "$logs/$1.log")
		count "$1" "$passed" "$failed" "$skipped"
	fi
}

# ---- running them ----------------------------------------------------------------------------------

declare -A kind=() needs=() limit=() state=() started=() pid_of=()
# So many of a kind at a time.
declare -A lanes=([waits]=2 [computes]=2) busy=([waits]=0 [computes]=0)
names=()
while read -r name what need short long; do
	[ -n "$name" ] || continue
	names+=("$name")
	kind[$name]=$what
	needs[$name]=$need
	limit[$name]=$(choose "$short" "$long")
	state[$name]=waiting
done <<<"$steps"

# With --only, what is not named and not needed by a named one is left out.
if [ -n "$only" ]; then
	chosen=,$only, before=
	while [ "$chosen" != "$before" ]; do
		before=$chosen
		for name in "${names[@]}"; do
			case $chosen in
			*,"$name",*",needs of $name,"*) ;;
			*,"$name",*) chosen="$chosen${needs[$name]},needs of $name," ;;
			esac
		done
	done
	for name in "${names[@]}"; do
		case $chosen in
		*,"$name",*) ;;
		*) state[$name]=left-out ;;
		esac
	done
fi

finish()
{
	local name
	for name in "${!pid_of[@]}"; do
		kill -TERM -- "-${pid_of[$name]}" 2>/dev/null
	done
	wait
	if [ $keep = yes ]; then
		echo "builds and logs: $work" >&2
	elif [ "$failed" != 0 ] && [ -n "$(ls "$logs")" ]; then
		find "$work" -mindepth 1 -maxdepth 1 ! -path "$logs" -exec rm -rf {} +
		echo "logs: $logs" >&2
	else
		rm -rf "$work"
	fi
}
trap finish EXIT
trap 'exit 130' INT TERM

# share NICE COMMAND...: of the processors. In a session of its own, for a kernel that groups by session
# (sched_autogroup) shares out between sessions first, whatever nice says inside; where it may be said.
share()
{
	local nice=$1
	shift
	echo "$nice" 2>/dev/null >/proc/self/autogroup
	exec nice -n "$nice" "$@" 2>&1
}

# start NAME: in a process group of its own, so that a time-out ends all of it. The daemons of those
# that wait are timed, so what only computes gives way to them; first come those that are timed to the
# millisecond.
start()
{
	local nice=0
	[ "$1" != lan ] || nice=-5
	[ "${kind[$1]}" = waits ] || nice=15
	started[$1]=$SECONDS
	state[$1]=running
	busy[${kind[$1]}]=$((busy[${kind[$1]}] + 1))
	export -f $(compgen -A function)
	export full source work tree logs
	setsid bash -uc 'share "$@"' share "$nice" timeout --kill-after=10 "${limit[$1]}" \
		bash -uc "step_$1" >"$logs/$1.log" 2>&1 </dev/null &
	pid_of[$1]=$!
}

passed=0
failed=0
skipped=0

# excerpt LOG: what failed, a line each, wherever that stands; then all that a script tells of it
# behind `----`, or else the end of the log
excerpt()
{
	{
		grep -E '^(FAILED|FAIL:|ERROR:|SKIP|not ok) |^  replay: |error:|undefined reference|\*\*\*' "$1" |
			awk '!seen[$0]++'
		sed '/^---- /,$!d' "$1" | grep . || tail -n 40 "$1"
	} | sed 's/^/    /'
	echo "    all of it: $1"
}

# done_with NAME STATUS
done_with()
{
	local name=$1 status=$2 p f s word=ok
	if [ -s "$logs/$name.count" ]; then
		read -r p f s <"$logs/$name.count"
		p=$((10#$p)) f=$((10#$f)) s=$((10#$s))
	else
		p=1 f=0 s=0
		[ "$status" = 0 ] || p=0
	fi
	[ "$status" = 0 ] || [ $f -gt 0 ] || f=1
	if [ $f -gt 0 ] || { [ $s -gt 0 ] && [ "${CI:-}" = true ]; }; then word=FAILED; fi
	state[$name]=$word
	unset "pid_of[$name]"
	busy[${kind[$name]}]=$((busy[${kind[$name]}] - 1))
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	echo "$word $name ($((SECONDS - started[$name])) s): $p passed, $f failed, $s skipped"
	[ "$status" != 124 ] || echo "    it took longer than ${limit[$name]} s and was ended"
	if [ $word = FAILED ] || [ $s -gt 0 ]; then excerpt "$logs/$name.log"; fi
	[ $word != FAILED ] || echo "    alone: $source/tests/run.sh $(choose '' 'full ')--only $name --keep"
}

# ready NAME: yes, no, or never when something it needs has failed to be built
ready()
{
	local need
	[ "${needs[$1]}" != - ] || { echo yes; return; }
	for need in ${needs[$1]//,/ }; do
		case ${state[$need]} in
		ok) ;;
		# A failed test leaves programs behind that others can still be tested with.
		FAILED) [ "$need" != tree ] && [ -x "$work/$need/electsim" ] || { echo never; return; } ;;
		*) echo no; return ;;
		esac
	done
	echo yes
}

# One step that has not begun and can run now is started; those that never can are told.
start_one()
{
	local name
	for name in "${names[@]}"; do
		[ "${state[$name]}" = waiting ] || continue
		[ "${busy[${kind[$name]}]}" -lt "${lanes[${kind[$name]}]}" ] || continue
		case $(ready "$name") in
		yes)
			start "$name"
			return 0
			;;
		never)
			state[$name]=FAILED
			failed=$((failed + 1))
			echo "FAILED $name: needs ${needs[$name]}"
			;;
		esac
	done
	return 1
}

export PROMTOOL_DIR=$work/bin PATH=$PATH:$work/bin
# In full something is measured beside keepalived.
if bash "$source/tests/deps.sh" && { [ $full = no ] || bash "$source/tests/deps.sh" bench; }; then
	echo "ok deps"
else
	echo "FAILED deps"
	echo "0 passed, 1 failed"
	exit 1
fi

while :; do
	while start_one; do :; done
	[ ${#pid_of[@]} -gt 0 ] || break
	wait -n -p ended
	status=$?
	for name in "${!pid_of[@]}"; do
		[ "${pid_of[$name]}" != "${ended:-}" ] || done_with "$name" $status
	done
done

if [ "${CI:-}" = true ]; then
	failed=$((failed + skipped))
fi
line="$passed passed, $failed failed"
[ $skipped = 0 ] || line="$line, $skipped skipped"
echo "$line"
[ $failed = 0 ] && [ $passed -gt 0 ]
