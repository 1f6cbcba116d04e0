#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The words that users type and read are in the manual, and the manual has no others: verbs and
# options of electctl, options of both daemons, keys of the configuration, exit codes, reasons,
# variables of scripts. Each text about a problem is a heading of electd-troubleshooting(7), and electctl
# selects the journal's entries by the ids that electd gives them.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0

# same WHAT CODE PAGE: compares two lists of words, one word a line, in any order.
same()
{
	local code page
	code=$(sort -u <<<"$2") page=$(sort -u <<<"$3")
	if [ -z "$code" ] || [ -z "$page" ]; then
		echo "$1: found none in the code or none in the page"
		failed=1
	elif [ "$code" != "$page" ]; then
		echo "$1: < only in the code, > only in the page"
		diff <(echo "$code") <(echo "$page") | grep '^[<>]'
		failed=1
	fi
}

# part FILE BEGIN END: the lines from one pattern to the next.
part()
{
	awk -v begin="$2" -v end="$3" '$0 ~ begin { on = 1; next } on && $0 ~ end { exit } on' "$1"
}

# section PAGE TITLE: one .Sh of a page.
section()
{
	part "$1" "^\\.Sh $2\$" '^\.Sh '
}

quoted()
{
	sed -nE 's/^[^"]*"([^"]*)".*/\1/p'
}

verbs=$(grep '^VERB("' tools/electctl/verbs.h | quoted)
same 'verbs of electctl, in the table' "$verbs" \
	"$(section man/electctl.1 VERBS | sed -nE 's/^\.It Cm ([a-z-]+).*/\1/p')"
same 'verbs of electctl, with their options' "$verbs" \
	"$(part man/electctl.1 '^\\.Sh STATUS AND HISTORY' '^\\.Sh RUNNING A COMMAND' |
		sed -nE 's/^\.It Cm ([a-z-]+).*/\1/p')"

# named WHAT PATTERN: the words of that form in the help of electctl; there must be at least one.
named()
{
	part tools/electctl/help.c 'char tail\[\]' '^static void' | grep -oE -- "$2" || {
		echo "electctl --help names no $1" >&2
		return 1
	}
}

# Each manual page, file and target that the help of electctl names exists.
pages=$(named 'manual page' '[a-z.-]+\([1-8]\)') || failed=1
for page in $pages; do
	page=man/$(tr '(' . <<<"${page%)}")
	[ -f "$page" ] || { echo "electctl --help names $page, which does not exist"; failed=1; }
done
files=$(named file '/[a-z][a-z./-]+[a-z]') || failed=1
for file in $files; do
	for page in man/*.[1-8]; do section "$page" FILES; done | tr ' ' '\n' | grep -qxF -- "$file" ||
		{ echo "no page has the file $file of electctl --help in its FILES"; failed=1; }
done
targets=$(named target '[a-z-]+\.target') || failed=1
for target in $targets; do
	[ -f "systemd/$target.in" ] || {
		echo "electctl --help names $target, which does not exist"
		failed=1
	}
done

# Options of single verbs stand with their verb.
same 'options of electctl' \
	"$(part tools/electctl/options.c 'struct option long_options' '^};' | quoted | grep .)" \
	"$(sed -nE '/^\.It/p' man/electctl.1 | grep -oE 'Fl (q , )?(h , )?-[a-z-]+' | sed -E 's/.* -//')"

same 'options of electd' \
	"$(part daemon/main.c 'struct option_row .*= \{' '^};' | grep -E '^	\{ "' | quoted)" \
	"$(grep -E '^\.It Fl' man/electd.8 | grep -oE 'Fl -[a-z-]+' | sed -E 's/.* -//')"

same 'options of electd-hookd' \
	"$(part daemon/hookd/main.c 'struct option_row .*= \{' '^};' | grep -E '^	\{ "' | quoted)" \
	"$(grep -E '^\.It Fl' man/electd-hookd.8 | grep -oE 'Fl -[a-z-]+' | sed -E 's/.* -//')"

keys=$(grep -E '^KEY\("' daemon/conf/keys.h | quoted)
same 'keys of the configuration' "$keys" \
	"$(section man/electd.conf.5 KEYS | sed -n '/^\.Bd/,/^\.Ed/s/^\([a-z0-9_.]*\) .*/\1/p' | grep .)"
for key in $(grep -E '^\.It Va' man/electd.conf.5 | tr ' ,' '\n\n' | grep -E '^[a-z0-9_.]+$'); do
	grep -qxF -- "$key" <<<"$keys" || { echo "man/electd.conf.5 explains $key, which is no key"; failed=1; }
done

same 'exit codes of electctl' \
	"$(part tools/electctl/electctl.h '^enum electctl_exit' '^};' | grep -oE '= [0-9]+' | tr -d '= ')" \
	"$(section man/electctl.1 'EXIT STATUS' | sed -nE 's/^\.It ([0-9]+)$/\1/p')"

# exits FILES...: the codes that the sources give; sysexits.h has the numbers.
exits()
{
	echo 0
	grep -ohE '\bEX_[A-Z]+' "$@" | sort -u | sed -e s/EX_SOFTWARE/70/ -e s/EX_OSERR/71/ \
		-e s/EX_IOERR/74/ -e s/EX_NOPERM/77/ -e s/EX_CONFIG/78/ -e s/EX_OK/0/
}

same 'exit codes of electd' "$(exits $(list_c | grep '^daemon/' | grep -v '^daemon/hookd/'))" \
	"$(section man/electd.8 'EXIT STATUS' | sed -nE 's/^\.It ([0-9]+)$/\1/p')"

same 'exit codes of electd-hookd' \
	"$(exits daemon/program/status.c $(list_c | grep '^daemon/hookd/'))" \
	"$(section man/electd-hookd.8 'EXIT STATUS' | sed -nE 's/^\.It ([0-9]+)$/\1/p')"

# The variables of a script, and the fields of the entry about its end.
same 'variables of scripts' \
	"$(grep -oE '"(PATH|LANG|ELECTD_[A-Z_]+)"' daemon/hookd/run/given.c | tr -d '"')" \
	"$(section man/electd-hooks.7 ENVIRONMENT | grep '^\.It Ev' | grep -oE '[A-Z_]{4,}')"

same 'fields of entries about hooks' \
	"$(grep -oE '"ELECTD_[A-Z_]+"' daemon/hookd/run/tell.c | tr -d '"')" \
	"$(section man/electd-hooks.7 DEBUGGING | grep '^\.It Li' | grep -oE 'ELECTD_[A-Z_]+')"

same 'steps of a change' \
	"$({ tr -s '\n\t' ' ' <daemon/words/times_list.h | grep -oE 'STEP\([A-Z_]+, [A-Z0-9_| ]+, "[a-z-]+"' | quoted
		grep -oE '"hook-[a-z-]+"' daemon/words/steps.c | tr -d '"'; })" \
	"$(section man/electctl.1 'STEPS OF A CHANGE' | sed -nE 's/^\.It Li //p' | tr -d ' ' | tr , '\n')"

same 'reasons' \
	"$(part daemon/core/values.c 'reason_names\[ELECT_REASONS\]' '^};' | quoted)" \
	"$(section man/electctl.1 REASONS | sed -nE 's/^\.It Li ([a-z-]+)$/\1/p')"

same 'ids of journal entries (code: daemon/words/journal.c, page: tools/electctl/journal.c)' \
	"$(grep -vE "JOURNAL_(FAULTS|OTHER_KEYS|SICK|WELL)" daemon/words/journal.c | grep -oE '"[0-9a-f]{32}"')" \
	"$(grep -oE '"[0-9a-f]{32}"' tools/electctl/journal.c)"

# Conflict markers of a merge.
if grep -nE '^(<<<<<<<|>>>>>>>)( |$)' README.md NEWS.md man/*.[1-8]; then
	failed=1
fi

# ---- electd-troubleshooting(7) ------------------------------------------------------------------
#
# Every text that status, check and the journal print about something wrong is a heading there, as
# printed; a name or a number is a placeholder.

page=man/electd-troubleshooting.7
headings=$(sed -nE 's/^\.It (Ql )?//p' $page | sed -e 's/\\(dq/"/g' -e 's/\\-/-/g')

# source_of FILE [FUNCTION...]: the file, or only these functions, as one line without comments, with the
# literals that stand next to each other joined.
source_of()
{
	local file=$1
	shift
	if [ $# = 0 ]; then
		cat "$file"
	else
		for function; do
			awk -v name="$function" '$0 ~ "^[a-z].*[ *]" name "\\(" { on = 1 }
				on { print; n++ } on && /^}/ { exit } END { exit !n }' "$file" ||
				echo "\"$file has no function $function\""
		done
	fi | tr -s '\n\t ' ' ' | sed -E -e 's@/\*[^*]*\*+([^/*][^*]*\*+)*/@@g' \
		-e 's/" PRI[a-z0-9]+ "/u/g' -e 's/" PRI[a-z0-9]+ *([,)])/u"\1/g' -e 's/" "//g'
}

# literals: those of at least two words in that line.
literals()
{
	grep -oE '"([^"\\]|\\.)*"' | sed -E -e 's/^"(.*)"$/\1/' -e 's/\\"/"/g' |
		grep -E '[a-zA-Z]{2,}[,:]? [a-zA-Z(]'
}

# explained WHERE: each text of standard input is a heading, or a part of one. Not for the end of a
# pipe, where `failed` would be lost.
explained()
{
	local text pattern

	while read -r text; do
		pattern=$(sed -E -e 's/[][().*+?{}|^$\\]/\\&/g' \
			-e 's/%[-.\\*0-9]*(ll|l|z|j)?[diusxc]/.*/g' <<<"$text")
		grep -qE -- "$pattern" <<<"$headings" || {
			echo "$page has no heading for this text of $1: $text"
			failed=1
		}
	done
}

# texts FILE [FUNCTION...]: at least one, and all of them are headings. Only what is logged as a
# warning or an error counts, if anything is logged.
texts()
{
	local found

	found=$(source_of "$@" | sed -E 's/log_(notice|info|debug)\([^;]*;//g' | literals) || {
		echo "$1: found no text in the code"
		failed=1
		return
	}
	explained "$1" <<<"$found"
}

# The words of a problem are whole. Each row of the list has a name, a weight and these words.
list=daemon/core/problem_list.h
problems=$(source_of $list | sed 's/ PROBLEM(/\n&/g' |
	sed -nE 's/^ PROBLEM\([A-Z_]+, [0-9]+, ("[a-z-]+"), [A-Z]+, "([^"]+)".*/\1 \2/p')
[ "$(grep -c ' ' <<<"$problems")" = "$(grep -c '^PROBLEM(' $list)" ] ||
	{ echo "$list: not all rows are understood"; failed=1; }
explained $list < <(sed 's/^"[^"]*" //' <<<"$problems")

# A coordinator prints for what it waits, by the bars that others do not learn.
explained daemon/core/bar_list.h < <(source_of daemon/core/bar_list.h | sed 's/ BAR(/\n&/g' |
	sed -nE 's/^ BAR\([A-Z_]+, "[^"]+", "([^"]+)", 0, [A-Z]+, UNTOLD,.*/Waits \1/p')

texts daemon/node/tell.c
texts daemon/node/other_keys.c
texts daemon/node/heard_only.c put_words
texts daemon/node/overrun.c
texts daemon/node/unhooked.c set_why
texts daemon/node/addresses.c why_lost name_lost name_rows name_short
texts daemon/node/links.c add_left_out add_cut add_unreadable add_vrf node_dark_words add_dark \
	add_waiting node_no_carrier_words
texts daemon/node/lan.c tell_path node_net_words
texts daemon/node/keys.c say
texts daemon/node/will.c tell node_on_copy_ended make
texts daemon/words/hooks.c
texts daemon/words/why.c add_not_well
texts tools/electctl/verbs/monitor.c judge_members add_unfit problems_of
texts tools/electctl/verbs/status.c nobody_because print_yielding waits_for print_barred print_hold \
	print_awaits print_apart print_peers

# A host that is authenticated has no problem.
explained tools/electctl/verbs/status.c < <(source_of tools/electctl/verbs/status.c print_trust |
	literals | grep -v '^authenticated')

# "for ever" is a time.
explained tools/electctl/stoptime.c < <(source_of tools/electctl/stoptime.c slow_unit |
	literals | grep -vx 'for ever')

# Notes about named interfaces; doctor alone has the hints.
explained daemon/node/links.c < <(source_of daemon/node/links.c add_note |
	sed -E 's/\{[^{}]*, true \}//g' | literals)

for file in daemon/main.c $(list_c | grep '^daemon/node/'); do
	explained "$file" < <(source_of "$file" | grep -oE 'log_(warning|error)\([^;]*;' | literals)
done

# The headings of these sections are sorted, so that a reader of paper finds them too.
for title in HEALTH JOURNAL; do
	section $page $title | awk '/^\.Bl/ { depth++ } /^\.El/ { depth-- }
		/^\.It / && depth == 1 { sub(/^\.It /, ""); print }' | sed 's/\\(dq/"/g' |
		LC_ALL=C sort -cdf || { echo "$page: $title is not sorted"; failed=1; }
done

# names WHAT WORDS: each word stands in the page as a name, or begins a heading.
names()
{
	local word

	[ -n "$2" ] || { echo "$1: found none in the code"; failed=1; }
	for word in $2; do
		grep -qE -- "^\.((It|Pq) )?Li (.* )?$word( |\$)|^\.It $word:" $page || {
			echo "$page does not have the $1 $word"
			failed=1
		}
	done
}

# Doctor calls a problem without a name so; the page has its words.
names finding "$(sed -nE 's/^FINDING\([A-Z0-9_]+, "([a-z-]+)".*/\1/p' \
	tools/electctl/verbs/doctor/judge/finding_list.h | sort -u | grep -vx problem)"
names problem "$(quoted <<<"$problems")"
# Datagrams of this host itself and copies are not logged.
dropped=$(part daemon/core/wire/wire.c '^static const char .*verdict_names' '^};' | quoted |
	grep -vxE 'ok|own|duplicate')
names 'reason for a dropped datagram' "$dropped unsent interface"
exit $failed
