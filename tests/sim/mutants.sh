#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Breaks one rule of the core, or of how the shell serves it, at a time, on purpose, and sees whether the simulator, or a unit test,
# notices. Every file of tests/sim/mutants is a rule left out; a mutant that survives its catcher
# fails the test, and so does one that no longer applies. Builds in a folder of its own; changes
# nothing in the tree.
set -u

usage()
{
	cat <<'TEXT'
usage: tests/sim/mutants.sh [--list] [--apply] [--keep] [--help] [NAME...]

Without names: all of them (as with the name "full").
--list   name, catcher and rule of each, without running anything; and how many are caught by what:
         those of a unit test are what the simulator does not see, or with few seeds only
--apply  see only that each still applies to the sources; builds nothing
--keep   leave the mutants' programs where they are, and say where
srcdir is the tree, BUILDDIR (the present folder) where libelect.a and libelectsim.a are; without
them, or when they are older than the sources, both are compiled here. CC, JOBS: cc, 2.

A mutant is a text file:

	# algorithm.md 4.7, F12: the rule, and what goes wrong without it
	file daemon/core/FILE.c, or daemon/{control,net,program}/FILE.c, or tools/electsim/{algorithms,lab,compare,road,run}/FILE.c
	find
	text that occurs exactly once in it
	replace
	what stands there instead; may be nothing
	end
	caught-by seeds A..B [hosts A..B] [faults LIST] | story NAME | bounds EVENT | promise PART | unit TEST

TEST is a program of tests/unit, by its path there. PART is one of electsim promise.
find, replace and end may come several times. Its catcher must pass without the mutant and fail
with it; it is passed by status 0 and failed by status 1 or an assertion, nothing else.
TEXT
}

srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
builddir=${BUILDDIR:-.}
compiler=${CC:-cc}
jobs=${JOBS:-2}
limit_s=120
keep=no
list=no
apply_only=no
names=()
for argument; do
	case $argument in
	--list) list=yes ;;
	--keep) keep=yes ;;
	--apply) apply_only=yes ;;
	--help)
		usage
		exit 0
		;;
	-*)
		usage >&2
		exit 2
		;;
	full) ;;
	*) names+=("$argument") ;;
	esac
done

# ---- what a mutant says -----------------------------------------------------------------------------

# value FILE WORD: the rest of the line that begins with WORD, outside of the texts
value()
{
	awk -v word="$2" '
		/^find$/ { inside = 1 }
		/^end$/ { inside = 0 }
		!inside && $1 == word { sub(/^[^ ]+ +/, ""); print }' "$1"
}

# What is wrong with the form of FILE; nothing if all is well.
form()
{
	awk '
		/^find$/ && part == "" { part = "find"; finds++; next }
		/^replace$/ && part == "find" { part = "replace"; next }
		/^end$/ && part == "replace" { part = ""; next }
		part != "" || /^$/ { next }
		/^# ((algorithm|trust|messages|architecture|elections|links)\.md|electd-hooks\(7\))[ ,:]/ { rule = 1 }
		/^#/ { next }
		/^file (daemon\/(core|control|net|program)|tools\/electsim\/(algorithms|lab|compare|road|run))\/[a-z_\/]+\.c$/ { files++; next }
		/^caught-by (seeds [0-9]+\.\.[0-9]+|story [A-Za-z0-9-]+$|bounds .|promise [a-z_]+$|unit [a-z_\/]*test_[a-z_]+$)/ { catchers++; next }
		{ print "line " NR " is not understood: " $0; bad = 1; exit }
		END {
			if (bad) exit
			if (!rule) print "no comment names a rule of a page of the design"
			else if (part != "") print "a text without its end"
			else if (files != 1) print "not exactly one file of daemon/core, daemon/{control,net,program} or tools/electsim/{algorithms,lab,compare,road,run}"
			else if (finds < 1) print "nothing to find"
			else if (catchers != 1) print "not exactly one catcher"
		}' "$1"
}

# mutate MUTANT SOURCE: the source with the rule broken; else what does not fit, and status 1
mutate()
{
	mutant=$1 source=$2 awk '
		function joined(text, line) { return text == "" ? line : text "\n" line }
		function fail(i, how) {
			sub(/\n.*/, " ...", find[i]); sub(/^[ \t]+/, "", find[i])
			ORS = "\n"
			print "no longer applies, this text occurs " how ": " find[i]
			failed = 1
			exit 1
		}
		BEGIN {
			while ((getline line < ENVIRON["mutant"]) > 0) {
				if (part == "" && line == "find") { n++; part = "find"; find[n] = to[n] = "" }
				else if (part == "find" && line == "replace") part = "replace"
				else if (part == "replace" && line == "end") part = ""
				else if (part == "find") find[n] = joined(find[n], line)
				else if (part == "replace") to[n] = joined(to[n], line)
			}
			while ((getline line < ENVIRON["source"]) > 0) text = text line "\n"
			ORS = ""
			for (i = 1; i <= n; i++) {
				at = index(text, find[i])
				if (!at) fail(i, "nowhere")
				rest = substr(text, at + length(find[i]))
				if (index(rest, find[i])) fail(i, "more than once")
				text = substr(text, 1, at - 1) to[i] rest
			}
			print text
		}' </dev/null
}

# ---- building -----------------------------------------------------------------------------------------

# compile SOURCE OBJECT [FOLDER OF ITS HEADERS]
compile()
{
	"$compiler" -std=gnu17 -D_GNU_SOURCE -O1 -w ${3:+-iquote "$3"} -I"$srcdir/daemon" \
		-I"$srcdir/tools" -I"$srcdir/tests" -I"$work" -c -o "$2" "$1"
}

# As make does.
write_page()
{
	mkdir -p "$work/tools/electsim/compare"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&",/' "$srcdir/tools/electsim/compare/page.html" \
		>"$work/tools/electsim/compare/page.inc"
}

# unit_object TEST: where it is compiled to
unit_object()
{
	echo "$work/$(tr / - <<<"$1").o"
}

# shell_of CATCHER: what a unit test of the daemon's shell, or of the simulator, is linked from, too
shell_of()
{
	case $1 in
	'unit core/'*) ;;
	'unit electsim/'*) echo "$sim" ;;
	*) echo "$shell -levent_core -lconfig -lsystemd -ljansson -lmnl" ;;
	esac
}

# link PROGRAM CATCHER [OBJECT]: what is linked first is taken first: a mutated object keeps its
# original out of the program.
link()
{
	case $2 in
	unit*) "$compiler" -o "$1" "${@:3}" "$(unit_object "${2#unit }")" $(shell_of "$2") "$core" \
		-lsodium -ljansson -lcmocka ;;
	*) "$compiler" -o "$1" "${@:3}" "$work/main.o" "$sim" "$core" -lsodium -ljansson ;;
	esac
}

archive()
{
	local archive=$1 source object
	shift
	for source; do
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
		object=$work/objects/${archive%.a}-$(tr / - <<<"${source#"$srcdir"/}").o
		compile "$source" "$object" &
	done
	wait
	ar qcs "$work/$archive" "$work/objects/${archive%.a}"-*.o
}

# The libraries of the build folder if they are as new as the sources and link here, else our own.
prepare()
{
	sim=$builddir/libelectsim.a core=$builddir/libelect.a shell=$builddir/libelectd.a
	compile "$srcdir/tools/electsim/main.c" "$work/main.o" || return 1
	if [ -e "$sim" ] && [ -e "$core" ] && [ -e "$shell" ] &&
		[ -z "$(find "$srcdir/daemon/core" "$srcdir/tools/electsim" -name '*.[ch]' \
			\( -newer "$sim" -o -newer "$core" \) -print -quit)" ] &&
		[ -z "$(find "$srcdir"/daemon/{control,net,program} -name '*.[ch]' -newer "$shell" -print -quit)" ] &&
		link "$work/electsim" simulator 2>/dev/null; then
		return 0
	fi
	sim=$work/libelectsim.a core=$work/libelect.a shell=$work/libelectd.a
	mkdir "$work/objects"
	write_page
	archive libelect.a "$srcdir"/daemon/core/*.c "$srcdir"/daemon/core/*/*.c
	archive libelectsim.a "$srcdir"/tools/electsim/*/*.c "$srcdir"/tools/electsim/*/*/*.c
	archive libelectd.a "$srcdir"/daemon/{conf,control,net,node,program,store,words}/*.c
	link "$work/electsim" simulator
}

# ---- catching -----------------------------------------------------------------------------------------

# catch PROGRAM WORD...: runs a catcher; its status is electsim's. A unit test's is the number of
# its sentences that failed.
catch()
{
	local program=$1 kind=$2
	local arguments=() status
	shift 2
	case $kind in
	seeds)
		arguments=(run --stop --seed "${1%..*}" --seeds $((${1#*..} - ${1%..*} + 1)))
		shift
		while [ $# -ge 2 ]; do
			arguments+=("--$1" "$2")
			shift 2
		done
		;;
	story)
		arguments=(story --quiet "$srcdir/tests/sim/stories/$1.story")
		[ -e "${arguments[-1]}" ] || arguments[-1]=$srcdir/tests/sim/lab/$1.story
		;;
	bounds) arguments=(bounds --quick --only "$*") ;;
	promise) arguments=(promise --part "$1") ;;
	esac
	timeout --foreground --kill-after=5 "$limit_s" "$program" "${arguments[@]}" 2>&1
	status=$?
	[ "$kind" != unit ] || [ $status = 0 ] || [ $status -gt 100 ] || status=1
	return $status
}

# The line of a catcher's output that says what broke.
what_broke()
{
	grep -m 1 -E 'FAILED|NOT HELD|BROKEN|failed|Assertion' "$1" | cut -c 1-110 | tr -s ' ' ||
		tail -n 1 "$1" | cut -c 1-110
}

# key WORD...: a file name for a catcher
key()
{
	tr -c 'A-Za-z0-9.\n' _ <<<"$*"
}

# measure CATCHER: it must pass without any mutant; what it says otherwise is kept
measure()
{
	local base program=$work/electsim
	base=$work/baseline/$(key "$1")
	case $1 in
	unit*)
		program=$base.program
		if ! compile "$srcdir/tests/unit/${1#unit }.c" "$(unit_object "${1#unit }")" 2>"$base.log" ||
			! link "$program" "$1" 2>>"$base.log"; then
			echo "does not compile: $(grep -m 1 error "$base.log")" >"$base.bad"
			return
		fi
		;;
	esac
	# shellcheck disable=SC2086 # a catcher is several words
	catch "$program" $1 >"$base.log"
	case $? in
	0) : >"$base.ok" ;;
	124 | 137) echo "takes longer than $limit_s s" >"$base.bad" ;;
	*) what_broke "$base.log" >"$base.bad" ;;
	esac
	# A row that is not in the table breaks nothing and proves nothing.
	[ "${1%% *}" != bounds ] || [ "$(wc -l <"$base.log")" -gt 1 ] ||
		{ rm -f "$base.ok"; echo "no such row" >"$base.bad"; }
}

# replay RESULT: what to type, where this was started, to play those alone that failed
replay()
{
	local names

	names=$(sed -nE 's/^FAILED ([^ :]+).*/\1/p' "$1" | grep -vx self-check | sort -u | tr '\n' ' ')
	[ -z "$names" ] ||
		echo "  replay: ${BUILDDIR:+BUILDDIR=$BUILDDIR }bash $0 --keep ${names% }"
}

# judge FILE: prints the one line about a mutant, and why if it failed
judge()
{
	local file=$1 name source catcher own base status
	name=$(basename "$file" .mutant)
	own=$work/mutants/$name
	[ ! -f "$own.bad" ] || { echo "FAILED $name: $(cat "$own.bad")"; return; }
	catcher=$(value "$file" caught-by)
	source=$(value "$file" file)
	base=$work/baseline/$(key "$catcher")
	if [ ! -e "$base.ok" ]; then
		echo "FAILED $name: without the mutant, its catcher ($catcher) says: $(cat "$base.bad")"
		return
	fi
	if ! compile "$own.c" "$own.o" "$(dirname "$srcdir/$source")" 2>"$own.log" ||
		! link "$own" "$catcher" "$own.o" 2>>"$own.log"; then
		echo "FAILED $name: does not compile: $(grep -m 1 error "$own.log")"
		return
	fi
	# shellcheck disable=SC2086 # a catcher is several words
	catch "$own" $catcher >"$own.log"
	status=$?
	[ $keep = yes ] || rm -f "$own" "$own.o"
	case $status in
	0) echo "FAILED $name survives ($catcher)" ;;
	1 | 134) echo "ok $name (caught by $catcher: $(what_broke "$own.log"))" ;;
	124 | 137) echo "FAILED $name: its catcher ($catcher) takes longer than $limit_s s" ;;
	*) echo "FAILED $name: its catcher ($catcher) ended with status $status" ;;
	esac
}

# apply FILE...: the source of each with its rule broken, or what is wrong with the mutant
apply()
{
	local file own
	for file; do
		own=$work/mutants/$(basename "$file" .mutant)
		form "$file" >"$own.bad"
		if [ ! -s "$own.bad" ] &&
			mutate "$file" "$srcdir/$(value "$file" file)" >"$own.c"; then
			rm "$own.bad"
		elif [ ! -s "$own.bad" ]; then
			mv "$own.c" "$own.bad"
		fi
	done
}

# run RESULT FILE...: all of them; one line each, also into RESULT. Each works in a process group of
# its own, so that an interrupted test ends all of it.
run()
{
	local result=$1 file catcher
	shift
	set -m
	local -A catchers=()
	apply "$@"
	for file; do
		[ -e "$work/mutants/$(basename "$file" .mutant).bad" ] ||
			catchers[$(value "$file" caught-by)]=1
	done
	for catcher in "${!catchers[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
		[ -e "$work/baseline/$(key "$catcher").log" ] || measure "$catcher" &
	done
	wait
	for file; do
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
		judge "$file" | tee -a "$result" &
	done
	wait
}

# ---- does this test notice anything? ----------------------------------------------------------------

# sample NAME CATCHER FIND REPLACE
sample()
{
	printf '%s\n' '# algorithm.md 0: none' 'file daemon/core/values.c' find "$3" replace "$4" end \
		"caught-by $2" >"$work/self/$1.mutant"
}

# expect NAME TEXT: what must be said about a sample
expect()
{
	grep -qF "$2" <<<"$said" && return
	echo "FAILED self-check: about $1 it should be said: $2"
	broken=1
}

# Samples that must not be taken for caught mutants.
self_check()
{
	local said broken=0
	local seeds='seeds 1..3 hosts 3..4 faults none'
	sample changes-nothing "$seeds" '#include "elect.h"' '#include "elect.h" /* same */'
	sample is-gone "$seeds" 'no such text' ''
	sample is-everywhere "$seeds" elect_id ''
	sample is-no-c "$seeds" '#include "elect.h"' 'this is no C'
	sample has-no-story 'story no-such-story' '#include "elect.h"' ''
	sample has-no-row 'bounds no such row' '#include "elect.h"' '#include "elect.h" '
	sample has-no-test 'unit test_no_such' '#include "elect.h"' ''
	sample has-no-catcher nobody '#include "elect.h"' ''
	sample is-real "$seeds" 'if (elect_group_is_zero(g))' 'if (g)'
	said=$(run /dev/null "$work"/self/*.mutant)
	expect changes-nothing "FAILED changes-nothing survives ($seeds)"
	expect is-gone 'FAILED is-gone: no longer applies, this text occurs nowhere'
	expect is-everywhere 'FAILED is-everywhere: no longer applies, this text occurs more than once'
	expect is-no-c 'FAILED is-no-c: does not compile'
	expect has-no-story 'FAILED has-no-story: without the mutant, its catcher'
	expect has-no-row 'FAILED has-no-row: without the mutant, its catcher'
	expect has-no-test 'FAILED has-no-test: without the mutant, its catcher'
	expect has-no-catcher 'FAILED has-no-catcher: line 8 is not understood'
	expect is-real "ok is-real (caught by $seeds"
	[ $broken = 0 ] || { printf '%s\n' "$said" | sed 's/^/    /'; return 1; }
	echo 'ok self-check'
}

# ---- main ---------------------------------------------------------------------------------------------

files=()
for name in "${names[@]+"${names[@]}"}"; do
	files+=("$srcdir/tests/sim/mutants/$name.mutant")
	[ -f "${files[-1]}" ] || { echo "no such mutant: $name" >&2; exit 2; }
done
[ ${#files[@]} -gt 0 ] || files=("$srcdir"/tests/sim/mutants/*.mutant)
[ -f "${files[0]}" ] || { echo "no mutant in $srcdir/tests/sim/mutants" >&2; exit 1; }

if [ $list = yes ]; then
	for file in "${files[@]}"; do
		printf '%-28s %-44s %s\n' "$(basename "$file" .mutant)" "$(value "$file" caught-by)" \
			"$(sed -n 's/^# \([a-z]*\.md .*\)/\1/p' "$file" | head -n 1)"
	done
	for kind in seeds story bounds promise unit; do
		count=0
		for file in "${files[@]}"; do
			case $(value "$file" caught-by) in "$kind "*) count=$((count + 1)) ;; esac
		done
		echo "$count caught by $kind"
	done
	exit 0
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/electd-mutants.XXXXXX")
mkdir "$work/mutants" "$work/baseline" "$work/self"
finish()
{
	local group
	for group in $(jobs -p); do
		kill -- "-$group"
	done 2>/dev/null
	wait 2>/dev/null
	if [ $keep = yes ]; then echo "programs: $work/mutants" >&2; else rm -rf "$work"; fi
}
trap finish EXIT
trap 'exit 130' INT TERM

if [ $apply_only = yes ]; then
	failed=0
	apply "${files[@]}"
	for file in "$work"/mutants/*.bad; do
		[ -e "$file" ] || continue
		echo "$(basename "$file" .bad).mutant: $(cat "$file")"
		failed=1
	done
	exit $failed
fi

began=$SECONDS
if ! prepare; then
	echo 'FAILED: the core or the simulator does not compile'
	echo '0 passed, 1 failed'
	exit 1
fi
self_check | tee -a "$work/result"
run "$work/result" "${files[@]}"
passed=$(grep -c '^ok ' "$work/result")
failed=$(grep -c '^FAILED ' "$work/result")
replay "$work/result"
echo "$passed passed, $failed failed (mutants and one self-check, $((SECONDS - began)) s)"
[ "$failed" = 0 ] && [ "$passed" -gt "${#files[@]}" ]
