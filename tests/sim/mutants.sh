#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Leaves out one rule of electd, electsim or libelectd at a time, and checks that a seed, a story, a
# figure of bounds, a part of promise, a unit test or the table of holders fails. Each section [NAME]
# of tests/sim/mutants/*.mutants is a mutant. A mutant that its catcher does not notice, or that no
# longer applies, fails this test. Builds in a folder of its own and leaves the sources unchanged.
set -u

# The source folders that a mutant may change.
folders=(daemon/{core,control,net,program} lib tools/electsim/{hosts,judge,lab})

usage()
{
	cat <<TEXT
usage: tests/sim/mutants.sh [--list] [--apply] [--keep] [--help] [NAME...]

Without names: all of them (as with the name "full").
--list   name, catcher and rule of each, without running anything; and how many are caught by what:
         those of a unit test are what the simulator does not see, or with few seeds only
--apply  see only that each still applies to the sources; builds nothing
--keep   keep the mutants' programs, and print their folder
srcdir is the tree, BUILDDIR (the present folder) where libelect.a and libelectsim.a are; without
them, or when they are older than the sources, both are compiled here. CC, JOBS: cc, 2.

A mutant is a section of a file of tests/sim/mutants, up to the next section. Its name has letters,
digits and -, and no other mutant has it:

	[NAME]
	# counter.md, F12: the rule, and what goes wrong without it
	file FOLDER/FILE.c
	find
	text that occurs exactly once in it
	replace
	the text that replaces it; may be empty
	end
	caught-by seeds A..B [hosts A..B] [faults LIST] | story NAME | bounds EVENT | promise PART |
		  unit TEST | table

Only comments may stand before the first section. The rule is cited by its page of doc/, by
electd-hooks(7) or by electd-varlink(7). FOLDER is one of these, or a folder in one of them:
${folders[*]}.
TEST is a program of tests/unit, by its path there. PART is one of electsim promise. table is
tests/unit/lib/holder.table.
find, replace and end may come several times; no line of a text is one of these words alone.
The catcher must pass without the mutant and fail with it; it is passed by status 0 and failed by
status 1 or an assertion, nothing else.
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
	*) [[ " ${names[*]-} " == *" $argument "* ]] || names+=("$argument") ;;
	esac
done

# ---- the format of a mutant -------------------------------------------------------------------------

# split FILE...: copies each section of the files to $work/mutants/NAME.mutant, and prints a line
# for each: name, place, source, catcher and rule, separated by tabs. Reports each error of form to
# stderr, with its file and line, and then fails.
split()
{
	local pages
	pages=$(cd "$srcdir/doc" && printf '%s\n' *.md | sed 's/[.]md$//' | paste -sd '|')
	awk -v tree="$srcdir/" -v copies="$work/mutants/" -v folders="$(IFS='|'; echo "${folders[*]}")" \
		-v citation="^# ((${pages})[.]md|electd-(hooks|varlink)[(]7[)])[ ,:]" '
		function wrong(where, what) { print where ": " what >"/dev/stderr"; failed = 1 }
		function here() { return file ":" FNR }
		function unended() { wrong(began, "find without its replace and end"); part = "" }
		function finish() {
			if (part != "") unended()
			if (name != "") {
				if (!rule) wrong(place[name], "no comment names a rule of a page of the design")
				if (files != 1) wrong(place[name], "not exactly one file")
				if (!finds) wrong(place[name], "nothing to find")
				if (catchers != 1) wrong(place[name], "not exactly one catcher")
				printf "%s\t%s\t%s\t%s\t%s\n", name, place[name], source, catcher, rule
				close(copy)
			}
			name = rule = ""
			files = finds = catchers = 0
		}
		FNR == 1 {
			finish()
			file = FILENAME
			if (index(file, tree) == 1) file = substr(file, length(tree) + 1)
		}
		part == "" && /^\[.*\]$/ {
			finish()
			name = substr($0, 2, length($0) - 2)
			if (name !~ /^[A-Za-z0-9-]+$/) wrong(here(), "a name has letters, digits and - only")
			if (name in place) wrong(here(), name " is a mutant already, in " place[name])
			else place[name] = here()
			copy = name ~ "/" ? "/dev/null" : copies name ".mutant"
			printf "" >copy
			next
		}
		name != "" { print >copy }
		part == "find" && /^(find|end)$/ || part == "replace" && /^(find|replace)$/ { unended() }
		/^find$/ && part == "" { part = "find"; began = here(); finds++; next }
		/^replace$/ && part == "find" { part = "replace"; next }
		/^end$/ && part == "replace" { part = ""; next }
		part != "" || /^$/ { next }
		!rule && $0 ~ citation { rule = substr($0, 3) }
		/^#/ { next }
		name == "" { wrong(here(), "only comments may stand before the first section: " $0); next }
		$1 == "file" && $2 ~ "^(" folders ")/[a-z_/]+[.]c$" && NF == 2 { files++; source = $2; next }
		/^caught-by (seeds [0-9]+\.\.[0-9]+|story [A-Za-z0-9-]+$|bounds .|promise [a-z_]+$|unit [a-z_\/]*test_[a-z_]+$|table$)/ {
			catchers++
			catcher = substr($0, 11)
			next
		}
		{ wrong(here(), "this line is not understood: " $0) }
		END { finish(); exit failed }' "$@"
}

# The place, source, catcher and rule of a mutant, by its name; `known` has all names.
declare -A place_of=() source_of=() catcher_of=() rule_of=()
known=()

# read_mutants FILE...: fails if one of them has an error
read_mutants()
{
	local name place source catcher rule

	split "$@" >"$work/index" || return
	while IFS=$'\t' read -r name place source catcher rule; do
		known+=("$name")
		place_of[$name]=$place source_of[$name]=$source
		catcher_of[$name]=$catcher rule_of[$name]=$rule
	done <"$work/index"
}

# mutate MUTANT SOURCE: prints the source without the rule; on an error the reason, and status 1
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
	"$compiler" -std=gnu17 -D_GNU_SOURCE -O1 -w ${3:+-iquote "$3"} -I"$srcdir" \
		-I"$srcdir/daemon" -I"$srcdir/tools" -I"$srcdir/tests" -I"$work" -c -o "$2" "$1"
}

# the same as in the Makefile
write_page()
{
	mkdir -p "$work/tools/electsim/lab/compare"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&",/' "$srcdir/tools/electsim/lab/compare/page.html" \
		>"$work/tools/electsim/lab/compare/page.inc"
}

# test_of CATCHER: prints the program of tests/unit that it runs, or nothing
test_of()
{
	case $1 in
	'unit '*) echo "${1#unit }" ;;
	table) echo lib/play ;;
	esac
}

# unit_object TEST: prints the path of its object
unit_object()
{
	echo "$work/$(tr / - <<<"$1").o"
}

# shell_of CATCHER: prints further libraries that its unit test needs
shell_of()
{
	case $1 in
	'unit core/'*) ;;
	'unit electsim/'*) echo "$sim" ;;
	'unit lib/'* | table) echo "$client" ;;
	*) echo "$shell -levent_core -lconfig -lsystemd -ljansson -lmnl" ;;
	esac
}

# link PROGRAM CATCHER [OBJECT]: a mutated object is linked first and so replaces its original.
link()
{
	local test
	test=$(test_of "$2")
	if [ "$test" ]; then
		"$compiler" -o "$1" "${@:3}" "$(unit_object "$test")" $(shell_of "$2") "$core" \
			-lsodium -ljansson -lcmocka
	else
		"$compiler" -o "$1" "${@:3}" "$work/main.o" "$sim" "$core" -lsodium -ljansson
	fi
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

# Uses the libraries of the build folder if they are as new as the sources and link here, else
# builds its own.
prepare()
{
	sim=$builddir/libelectsim.a core=$builddir/libelect.a shell=$builddir/libelectdaemon.a
	client=$builddir/libelectclient.a
	compile "$srcdir/tools/electsim/main.c" "$work/main.o" || return 1
	if [ -e "$sim" ] && [ -e "$core" ] && [ -e "$shell" ] && [ -e "$client" ] &&
		[ -z "$(find "$srcdir/daemon/core" "$srcdir/tools/electsim" -name '*.[ch]' \
			\( -newer "$sim" -o -newer "$core" \) -print -quit)" ] &&
		[ -z "$(find "$srcdir"/daemon/{control,net,program} -name '*.[ch]' -newer "$shell" -print -quit)" ] &&
		[ -z "$(find "$srcdir/lib" -name '*.[ch]' -newer "$client" -print -quit)" ] &&
		link "$work/electsim" simulator 2>/dev/null; then
		return 0
	fi
	sim=$work/libelectsim.a core=$work/libelect.a shell=$work/libelectdaemon.a
	client=$work/libelectclient.a
	mkdir "$work/objects"
	write_page
	archive libelect.a "$srcdir"/daemon/core/*.c "$srcdir"/daemon/core/*/*.c
	mapfile -t sources < <(find "$srcdir/tools/electsim" -name '*.c' ! -name main.c)
	archive libelectsim.a "${sources[@]}"
	archive libelectdaemon.a "$srcdir"/daemon/{conf,control,net,node,program,store,words}/*.c
	archive libelectclient.a "$srcdir"/lib/*.c
	link "$work/electsim" simulator
}

# ---- catching -----------------------------------------------------------------------------------------

# catch PROGRAM WORD...: runs a catcher and returns its status; for a unit test the number of its
# failed tests.
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
		arguments=(story --quiet --only "$1" "$srcdir"/tests/sim/{stories,lab}/*.story)
		;;
	bounds) arguments=(bounds --quick --only "$*") ;;
	promise) arguments=(promise --part "$1") ;;
	table)
		diff "$srcdir/tests/unit/lib/holder.table" \
			<(timeout "$limit_s" "$program" <"$srcdir/tests/unit/lib/holder.table") && return
		echo 'holder.table: FAILED'
		return 1
		;;
	esac
	timeout --foreground --kill-after=5 "$limit_s" "$program" "${arguments[@]}" 2>&1
	status=$?
	[ "$kind" != unit ] || [ $status = 0 ] || [ $status -gt 100 ] || status=1
	return $status
}

# what_broke FILE: prints the line of a catcher's output that names the failure
what_broke()
{
	grep -m 1 -E 'FAILED|NOT HELD|BROKEN|failed|Assertion' "$1" | cut -c 1-110 | tr -s ' ' ||
		tail -n 1 "$1" | cut -c 1-110
}

# key WORD...: prints a file name for a catcher
key()
{
	tr -c 'A-Za-z0-9.\n' _ <<<"$*"
}

# measure CATCHER: checks that it passes without a mutant; keeps its output otherwise
measure()
{
	local base test program=$work/electsim
	base=$work/baseline/$(key "$1")
	test=$(test_of "$1")
	if [ "$test" ]; then
		program=$base.program
		if ! compile "$srcdir/tests/unit/$test.c" "$(unit_object "$test")" 2>"$base.log" ||
			! link "$program" "$1" 2>>"$base.log"; then
			echo "does not compile: $(grep -m 1 error "$base.log")" >"$base.bad"
			return
		fi
	fi
	# shellcheck disable=SC2086 # a catcher is several words
	catch "$program" $1 >"$base.log"
	case $? in
	0) : >"$base.ok" ;;
	124 | 137) echo "takes longer than $limit_s s" >"$base.bad" ;;
	*) what_broke "$base.log" >"$base.bad" ;;
	esac
	# A row that is not in the table would break nothing.
	[ "${1%% *}" != bounds ] || [ "$(wc -l <"$base.log")" -gt 1 ] ||
		{ rm -f "$base.ok"; echo "no such row" >"$base.bad"; }
}

# replay RESULT: prints the command that plays only the failed mutants
replay()
{
	local names

	names=$(sed -nE 's/^FAILED ([^ :]+).*/\1/p' "$1" | grep -vx self-check | sort -u | tr '\n' ' ')
	[ -z "$names" ] ||
		echo "  replay: ${BUILDDIR:+BUILDDIR=$BUILDDIR }bash $0 --keep ${names% }"
}

# judge NAME: prints one line about a mutant, and the reason if it failed
judge()
{
	local name=$1 base status
	local own=$work/mutants/$name catcher=${catcher_of[$name]} source=${source_of[$name]}
	[ ! -f "$own.bad" ] || { echo "FAILED $name: $(cat "$own.bad") (${place_of[$name]})"; return; }
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

# apply NAME...: prints each source without its rule, or the error of the mutant
apply()
{
	local name own
	for name; do
		own=$work/mutants/$name
		mutate "$own.mutant" "$srcdir/${source_of[$name]}" >"$own.c" || mv "$own.c" "$own.bad"
	done
}

# run RESULT NAME...: judges all of them and writes one line each to RESULT, too. Each runs in a
# process group of its own, so that an interrupt ends all of it.
run()
{
	local result=$1 name catcher
	shift
	set -m
	local -A catchers=()
	apply "$@"
	for name; do
		[ -e "$work/mutants/$name.bad" ] || catchers[${catcher_of[$name]}]=1
	done
	for catcher in "${!catchers[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
		[ -e "$work/baseline/$(key "$catcher").log" ] || measure "$catcher" &
	done
	wait
	for name; do
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
		judge "$name" | tee -a "$result" &
	done
	wait
}

# ---- self-check -------------------------------------------------------------------------------------

# sample NAME CATCHER FIND REPLACE: adds a section to the samples
sample()
{
	printf '%s\n' "[$1]" '# algorithm.md 0: none' 'file daemon/core/values.c' find "$3" replace "$4" \
		end "caught-by $2" >>"$work/samples.mutants"
}

# expect NAME TEXT: checks that the last output has TEXT
expect()
{
	grep -qF "$2" <<<"$said" && return
	echo "FAILED self-check: about $1 it should be said: $2"
	broken=1
}

# Checks that samples of a wrong form are reported with their lines.
forms()
{
	local file=$work/forms.mutants

	cat >"$file" <<'TEXT'
no comment
[no_name]
[empty]
[twice]
# algorithm.md 0: none
file README.md
find
[twice]
end
[twice]
# algorithm.md 0: none
file daemon/core/values.c
find
TEXT
	if said=$(split "$file" 2>&1 >/dev/null); then
		said+=$'\nno error'
	fi
	expect 'a line before the first section' "$file:1: only comments may stand"
	expect 'a wrong name' "$file:2: a name has letters"
	expect 'a section without a rule' "$file:3: no comment names a rule"
	expect 'a section without a file' "$file:3: not exactly one file"
	expect 'a section without a text' "$file:3: nothing to find"
	expect 'a section without a catcher' "$file:3: not exactly one catcher"
	expect 'another folder' "$file:6: this line is not understood: file README.md"
	expect 'a text without replace' "$file:7: find without"
	expect 'a name twice' "$file:10: twice is a mutant already, in $file:4"
	expect 'a file that ends in a text' "$file:13: find without"
}

# Checks that mutants which are not caught are not taken for caught.
self_check()
{
	local said broken=0
	local seeds='seeds 1..3 hosts 3..4 faults none'
	sample changes-nothing "$seeds" '#include "elect_view.h"' $'#include "elect_view.h" /*\n[no-section]\n*/'
	sample is-gone "$seeds" 'no such text' ''
	sample is-everywhere "$seeds" elect_id ''
	sample is-no-c "$seeds" '#include "elect_view.h"' 'this is no C'
	sample has-no-story 'story no-such-story' '#include "elect_view.h"' ''
	sample has-no-row 'bounds no such row' '#include "elect_view.h"' '#include "elect_view.h" '
	sample has-no-test 'unit test_no_such' '#include "elect_view.h"' ''
	sample is-real "$seeds" 'if (elect_group_is_zero(g))' 'if (g)'
	known=()
	read_mutants "$work/samples.mutants"
	said=$(run /dev/null "${known[@]}")
	expect changes-nothing "FAILED changes-nothing survives ($seeds)"
	expect is-gone 'FAILED is-gone: no longer applies, this text occurs nowhere'
	expect is-everywhere 'FAILED is-everywhere: no longer applies, this text occurs more than once'
	expect is-no-c 'FAILED is-no-c: does not compile'
	expect has-no-story 'FAILED has-no-story: without the mutant, its catcher'
	expect has-no-row 'FAILED has-no-row: without the mutant, its catcher'
	expect has-no-test 'FAILED has-no-test: without the mutant, its catcher'
	expect is-real "ok is-real (caught by $seeds"
	forms
	[ $broken = 0 ] || { printf '%s\n' "$said" | sed 's/^/    /'; return 1; }
	echo 'ok self-check'
}

# ---- main ---------------------------------------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/electd-mutants.XXXXXX")
mkdir "$work/mutants" "$work/baseline"
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

if ! read_mutants "$srcdir"/tests/sim/mutants/*.mutants; then
	echo '0 passed, 1 failed'
	exit 1
fi
for name in "${names[@]+"${names[@]}"}"; do
	[ -n "$name" ] && [ "${place_of[$name]+known}" ] || { echo "no such mutant: $name" >&2; exit 2; }
done
[ ${#names[@]} -gt 0 ] || names=("${known[@]}")
[ ${#names[@]} -gt 0 ] || { echo "no mutant in $srcdir/tests/sim/mutants" >&2; exit 1; }

if [ $list = yes ]; then
	for name in "${names[@]}"; do
		printf '%-28s %-44s %s\n' "$name" "${catcher_of[$name]}" "${rule_of[$name]}"
	done
	for kind in seeds story bounds promise unit table; do
		count=0
		for name in "${names[@]}"; do
			case "${catcher_of[$name]} " in "$kind "*) count=$((count + 1)) ;; esac
		done
		echo "$count caught by $kind"
	done
	exit 0
fi

if [ $apply_only = yes ]; then
	failed=0
	apply "${names[@]}"
	for name in "${names[@]}"; do
		[ -e "$work/mutants/$name.bad" ] || continue
		echo "${place_of[$name]}: $name $(cat "$work/mutants/$name.bad")"
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
run "$work/result" "${names[@]}"
passed=$(grep -c '^ok ' "$work/result")
failed=$(grep -c '^FAILED ' "$work/result")
replay "$work/result"
echo "$passed passed, $failed failed (mutants and one self-check, $((SECONDS - began)) s)"
[ "$failed" = 0 ] && [ "$passed" -gt "${#names[@]}" ]
