#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The tables in doc/links.md and TABLE of tests/lan/kinds.py, which tests their rows, have rows of
# the same names.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

rows=$(sed -nE 's/^\| `([a-z0-9-]+)` \|.*/\1/p' doc/links.md | sort)
tests=$(sed -nE '/^TABLE = """/,/^"""/s/^([a-z0-9-]+):$/\1/p' tests/lan/kinds.py | sort)
idle=$(sed -nE '/^TABLE = """/,/^"""/p' tests/lan/kinds.py | awk '
	/^[a-z0-9-]+:$/ { if (name) print name; name = $0 }
	/^ +([^#].*; )?(uses|follows)/ { name = "" }
	END { if (name) print name }')

[ -n "$rows" ] || {
	echo "doc/links.md has no rows"
	exit 1
}
twice=$(uniq -d <<<"$rows"; uniq -d <<<"$tests")
[ -z "$twice" ] || {
	echo "twice: $twice"
	exit 1
}
[ -z "$idle" ] || {
	echo "no step judges which links are used: $idle"
	exit 1
}
diff <(echo "$rows") <(echo "$tests") >/dev/null || {
	echo "< only in doc/links.md, > only in tests/lan/kinds.py"
	diff <(echo "$rows") <(echo "$tests") | grep '^[<>]'
	exit 1
}
