#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The bars of daemon/core/bar_list.h must be those of doc/role.md, in the same order and with the
# same scope. electctl(1) must name those that hosts report to each other below `members`, and the
# others below `status`; electd-protocol(7) must have their numbers, electd.lua their names.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

# SCOPE TOLD NUMBER NAME of each row.
rows=$(tr -s '\n\t ' ' ' <daemon/core/bar_list.h | grep -oE 'BAR\([A-Z_]+, "[^)]*\)' |
	sed -E 's/BAR\([A-Z_]+, "([^"]+)", "[^"]+", ([0-9]+), ([A-Z]+), ([A-Z]+),.*/\3 \4 \2 \1/')
[ "$(wc -l <<<"$rows")" = "$(grep -c '^BAR(' daemon/core/bar_list.h)" ] ||
	{ echo "bar_list.h: not all rows are understood"; exit 1; }
failed=0

# same PAGE CODE WORDS: what the page has must be what the code has.
same()
{
	diff <(echo "$2") <(echo "$3") || { echo "code (<) and $1 (>) differ"; failed=1; }
}

same doc/role.md "$(echo "$rows" | sed -E 's/^([A-Z]+) [A-Z]+ [0-9]+ (.*)/\L\1\E \2/')" \
	"$(sed -nE 's/^\| `([^`]+)` \| (begin|hold|stop|claim) \|.*/\2 \1/p' doc/role.md)"

same "electctl(1)" "$(echo "$rows" | sed -nE 's/^[A-Z]+ (LISTED|PROMPT) [0-9]+ //p' | sort)" \
	"$(sed -n '/may not lead, and why:/,/kernel of the/p' man/electctl.1 | grep '^\.Li' |
		sed -E 's/^\.Li //; s/ Pq.*//; s/ , /\n/g; s/ after sickness.*//; s/ [,;]$//' |
		grep -vx other | sort)"

same "electctl(1), Waits" "$(echo "$rows" | sed -nE 's/^[A-Z]+ UNTOLD [0-9]+ //p')" \
	"$(sed -n '/^prints below, or, only/{n;s/^\.Li //;s/ \.$//;s/ , /\n/g;p}' man/electctl.1)"

numbered=$(echo "$rows" | awk '$3 { print $3, $4 }' | sort -n)
same "electd-protocol(7)" "$(echo "$numbered" | cut -d' ' -f1)" \
	"$(sed -n '/^\.It why_not$/,/^Other kinds/p' man/electd-protocol.7 |
		grep -oE '(^|[ :])[0-9]+ [a-z]' | grep -oE '[0-9]+' | grep -vx 9)" # of older versions
same "electd.lua" "$(echo "$numbered" | cut -d' ' -f2)" \
	"$(sed -n '/^local why_not_kinds/,/}/p' tools/wireshark/electd.lua | grep -oE '"[^"]+"' |
		tr -d '"')"
exit $failed
