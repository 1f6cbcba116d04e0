#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# systemd/electd.catalog must explain exactly the kinds of entries that daemon/words/journal.c and
# daemon/hookd/run/tell.c write. Its fields must exist, it must use the names of the code, and
# journalctl must accept it. electctl(1) must list the same problems.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

catalog=systemd/electd.catalog
failed=0
wrong()
{
	echo "$*"
	failed=1
}

# same WHAT CODE CATALOG: two sorted lists, one word a line.
same()
{
	[ -n "$2" ] || wrong "found no $1 in the code"
	diff <(echo "$2") <(echo "$3") || wrong "code (<) and catalog (>) differ in $1"
}

writers='daemon/words/entry.c daemon/words/journal.c daemon/hookd/run/tell.c'

# words PATTERN: the matching string literals of the writers, one a line.
words()
{
	# shellcheck disable=SC2086
	grep -hoE "\"$1\"" $writers | tr -d '"' | sort -u
}

# entry KIND: the catalog's text for entries of that kind.
entry()
{
	local id

	# shellcheck disable=SC2086
	id=$(sed -nE "s/.*\[(JOURNAL|TELL)_$1\] = \{ \"([0-9a-f]{32})\".*/\2/p" $writers)
	awk -v id="$id" '/^-- / { on = $2 == id } on' "$catalog"
}

same "MESSAGE_IDs" "$(words '[0-9a-f]{32}')" \
	"$(sed -nE 's/^-- ([0-9a-f]{32})$/\1/p' "$catalog" | sort)"

unknown=$(comm -13 <(words '[A-Z_]+') \
	<(grep -oE '@[^@ ]+@' "$catalog" | tr -d '@' | sort -u))
[ -z "$unknown" ] || wrong "the catalog substitutes what no entry has: $unknown"

# The names of problems: the core's, and those that node/ finds.
problems()
{
	sed -nE 's/^PROBLEM\([A-Z_]+, [0-9]+, "([a-z-]+)".*/\1/p' daemon/core/problem_list.h
	sed -nE 's/^#define NODE_[A-Z_]+[[:space:]]+"([a-z-]+)".*/\1/p' daemon/node/inside.h
}

# state-lost has an entry of its own.
same "problems" "$(problems | grep -vx state-lost | sort)" \
	"$(entry PROBLEM | sed -nE 's/^  ([a-z]+-[a-z-]+)  .*/\1/p' | sort)"

same "problems of electctl(1)" "$(problems | sort)" \
	"$(sed -n '/^\.Sh PROBLEMS/,/^\.El/p' man/electctl.1 | sed -nE 's/^\.It Li //p' | sort)"

# A script that is gone was not run: only electd gets that report.
same "results of hooks" "$(sed -nE 's/.*\[HOOK_RESULT_[A-Z_]+\] = "([a-z-]+)".*/\1/p' \
	daemon/core/hook.c | grep -vxE 'ok|gone' | sort)" \
	"$(entry FAILED | sed -nE 's/^  ([a-z]+(-[a-z]+)?)  .*/\1/p' | sort)"

# Datagrams of this host itself and copies are not logged.
same "reasons for dropped datagrams" "$({
	sed -nE 's/.*\[WIRE_[A-Z_]+\] = "([a-z-]+)".*/\1/p' daemon/core/wire/wire.c |
		grep -vxE 'ok|own|duplicate'
	printf '%s\n' unsent interface
} | sort)" "$(entry FAULTS | sed -nE 's/^  ([a-z-]+(, [a-z-]+)*)  +[a-z].*/\1/p' |
	sed 's/, /\n/g' | sort)"

long=$(grep -nE '.{101}' "$catalog" || true)
[ -z "$long" ] || wrong "lines of the catalog are too long: $long"

awk '/^-- / { id = $2; after = NR } /^Subject: ./ { subject[id] = NR == after + 1 }
	/^Defined-By: electd$/ { by[id] = 1 } NF == 0 && id { gap[id] = 1 } gap[id] && NF { text[id]++ }
	/^-- / { n++; ids[n] = $2 } END { for (i = 1; i <= n; i++)
		if (!subject[ids[i]] || !by[ids[i]] || !text[ids[i]]) { print ids[i]; bad = 1 } exit bad }' \
	"$catalog" || wrong "entries of the catalog lack their subject, Defined-By or text"

if [ $failed = 0 ]; then
	command -v journalctl >/dev/null || skip "no journalctl here (package systemd)"
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	mkdir -p "$folder/usr/lib/systemd/catalog"
	cp "$catalog" "$folder/usr/lib/systemd/catalog/electd.catalog"
	journalctl --update-catalog --root="$folder" 2>&1 || wrong "journalctl refuses the catalog"
	same "what journalctl knows" "$(grep -c '^-- ' "$catalog")" \
		"$(journalctl --root="$folder" --dump-catalog 2>/dev/null | grep -c '^-- ')"
fi
exit $failed
