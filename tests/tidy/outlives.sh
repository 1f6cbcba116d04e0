#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The table of values in doc/outlives.md has a row for each field of a message or the header
# (daemon/core/message_list.h, struct wire_header), and each row has a test. In the second column a
# field in backquotes means all messages that carry it, or those in parentheses behind it. The last
# column has tests in backquotes: functions of tests/unit, stories, mutants, programs of tests/lan.
# Each row of the exceptions has a test in its last column, too.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

list=daemon/core/message_list.h
failed=0
wrong()
{
	echo "doc/outlives.md: $*"
	failed=1
}

# "MESSAGE field" of each optional or required field, one a line.
carried=$(awk '
	match($0, /\.name = "[A-Za-z_]+"/) { message = substr($0, RSTART + 9, RLENGTH - 10) }
	{ while (match($0, /[^A-Za-z_]B\([A-Z_]+\)/)) {
		print message, tolower(substr($0, RSTART + 3, RLENGTH - 4))
		$0 = substr($0, RSTART + RLENGTH) } }' "$list" | sort -u)
header=$(sed -n '/^struct wire_header {/,/^};/p' daemon/core/wire/wire.h |
	sed -nE 's/^\t.*[ \t]([a-z_]+);.*/header \1/p' | sort -u)
known=$(sed -n '/^enum elect_field {/,/^};/p' daemon/core/messages.h |
	grep -oE 'FIELD_[A-Z_]+' | grep -vxE 'FIELD_(SKIPPABLE|NUMBERS)' |
	sed 's/^FIELD_//' | tr '[:upper:]' '[:lower:]' | sort -u)
rows=$(sed -n '/^## Values$/,/^## /p' doc/outlives.md | grep '^|' | tail -n +3)
longer=$(sed -n '/^## Exceptions$/,/^## /p' doc/outlives.md | grep '^|' | tail -n +3)
tests=$({
	find tests/unit -name '*.c' -exec grep -hoE '^static void [a-z0-9_]+\(void \*\*state' {} + |
		sed -E 's/^static void ([a-z0-9_]+).*/\1/'
	sed -n 's/^story //p' tests/sim/stories/*.story
	sed -nE 's/^\[([A-Za-z0-9-]+)\]$/\1/p' tests/sim/mutants/*.mutants
	find tests/lan -maxdepth 1 -name '*.py' | sed 's,.*/,,'
} | sort -u)

[ -n "$carried" ] || wrong "found no field in $list"
[ "$(wc -l <<<"$header")" -ge 10 ] || wrong "found no header in daemon/core/wire/wire.h"
[ -n "$rows" ] || wrong "found no row"
[ -n "$longer" ] || wrong "found no exception"
[ -n "$tests" ] || wrong "found no test"

unused=$(comm -23 <(echo "$known") <(cut -d' ' -f2 <<<"$carried" | sort -u))
[ -z "$unused" ] || wrong "no message carries" $unused

# words COLUMN: the texts in backquotes.
words()
{
	cut -d'|' -f"$1" <<<"$row" | grep -oE '`[^`]+`' | tr -d '`' || true
}

all=$(printf '%s\n%s\n' "$carried" "$header")
told=
while read -r row; do
	what=$(cut -d'|' -f2 <<<"$row" | sed -E 's/^ +| +$//g')
	[[ $row =~ ^\|\ \*\*.*\*\*\ \|\ \|\ \|\ \|$ ]] && continue # a head
	[ "$(tr -cd '|' <<<"$row" | wc -c)" = 5 ] || wrong "not four columns: $what"
	while read -r field messages; do
		for message in ${messages:-$(awk -v f="$field" '$2 == f { print $1 }' <<<"$all")}; do
			told+="$message $field"$'\n'
		done
		[ -n "$messages" ] || grep -q " $field\$" <<<"$all" ||
			wrong "no message carries \`$field\`: $what"
	done < <(cut -d'|' -f3 <<<"$row" | grep -oE '`[a-z_]+`( \([A-Za-z_, ]+\))?' | tr -d '`(),')
	[ -n "$(words 5)" ] || wrong "no test: $what"
	for test in $(words 5); do
		grep -qxF -- "$test" <<<"$tests" || wrong "no test is called $test: $what"
	done
done <<<"$rows"

while read -r row; do
	[ -n "$(words 5)" ] || wrong "may last longer, without a test: $row"
	for test in $(words 5); do
		grep -qxF -- "$test" <<<"$tests" || wrong "no test is called $test: $row"
	done
done <<<"$longer"

told=$(grep . <<<"$told" | sort -u)
without=$(comm -13 <(echo "$told") <(sort -u <<<"$all"))
[ -z "$without" ] || wrong "no row has these fields:"$'\n'"$without"
unknown=$(comm -23 <(echo "$told") <(sort -u <<<"$all"))
[ -z "$unknown" ] || wrong "rows name what no message carries:"$'\n'"$unknown"
exit $failed
