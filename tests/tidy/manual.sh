#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The words that users type and read are in the manual, and the manual has no others: verbs and
# options of electctl, options of both daemons, keys of the configuration, exit codes, reasons,
# variables of scripts. electd-troubleshooting(7) has each problem that status may show, with its
# remedy, and electctl selects entries of the journal by the ids that electd gives them.
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

# The environment of a script, and the journal fields about its end.
same 'variables of scripts' \
	"$(grep -oE '"(PATH|LANG|ELECTD_[A-Z_]+)"' daemon/hookd/run/given.c | tr -d '"')" \
	"$(section man/electd-hooks.7 ENVIRONMENT | grep '^\.It Ev' | grep -oE '[A-Z_]{4,}')"

same 'fields of entries about hooks' \
	"$(grep -oE '"ELECTD_[A-Z_]+"' daemon/hookd/run/tell.c | tr -d '"')" \
	"$(section man/electd-hooks.7 DEBUGGING | grep '^\.It Li' | grep -oE 'ELECTD_[A-Z_]+')"

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

# Each problem is on the page of remedies, with all of its words.
page=$(sed -n 's/^\.It //p' man/electd-troubleshooting.7)
problems=$(part daemon/words/clauses.c '^} problems\[' '^};' | grep -oE '"[^"]+"' | tr -d '"' | grep ' ')
[ -n "$problems" ] || { echo "problems: found none in the code"; failed=1; }
while read -r words; do
	grep -qF -- "$words" <<<"$page" || {
		echo "man/electd-troubleshooting.7 does not say what to do about: $words"
		failed=1
	}
done <<<"$problems"
exit $failed
