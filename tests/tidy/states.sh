#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The table of states in doc/sessions.md, *A session*, is next_state[][] of daemon/core/trust/session.c:
# SESSION_IS_VOUCHED is "is vouched" there.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

# "state, event, next state", one a line.
code=$(awk '
	function word(s) { sub(/.*SESSION_/, "", s); gsub("_", " ", s); return tolower(s) }
	/next_state\[SESSION_STATES\]/ { on = 1; next }
	on && /^};/ { exit }
	on && /^\t\[/ { sub(/\].*/, ""); state = word($0) }
	on && /^\t\t\[/ { split($0, part, "]"); sub(/,.*/, "", part[2]); print state ", " word(part[1]) ", " word(part[2]) }
	' daemon/core/trust/session.c | sort)
page=$(awk -F ' *[|] *' '
	/^\| state \| answers \|/ { for (i = 2; i < NF; i++) event[i] = $i; on = 1; next }
	on && !/^\|/ { exit }
	on && !/^\|--/ { for (i = 3; i < NF; i++) print $2 ", " event[i] ", " $i }
	' doc/sessions.md | sort)

[ -n "$code" ] || { echo "found no table in session.c"; exit 1; }
[ "$code" = "$page" ] || {
	echo "doc/sessions.md, A session: < only in session.c, > only in the page"
	diff <(echo "$code") <(echo "$page") | grep '^[<>]'
	exit 1
}
