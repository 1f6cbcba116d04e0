#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Each row of the tables in doc/links.md is a test of the same name in tests/lan/kinds.py, and no test
# there lacks its row.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

rows=$(sed -nE 's/^\| `([a-z0-9-]+)` \|.*/\1/p' doc/links.md | sort)
tests=$(sed -nE '/^@row$/{n;s/^def ([a-z0-9_]+)\(.*/\1/p}' tests/lan/kinds.py | tr _ - | sort)

[ -n "$rows" ] || {
	echo "doc/links.md has no rows"
	exit 1
}
twice=$(uniq -d <<<"$rows"; uniq -d <<<"$tests")
[ -z "$twice" ] || {
	echo "twice: $twice"
	exit 1
}
diff <(echo "$rows") <(echo "$tests") >/dev/null || {
	echo "< only in doc/links.md, > only in tests/lan/kinds.py"
	diff <(echo "$rows") <(echo "$tests") | grep '^[<>]'
	exit 1
}
