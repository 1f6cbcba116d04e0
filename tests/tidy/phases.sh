#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The diagram of the phases and the tables of doc/algorithm.md, Roles, are drawn from the rows of
# daemon/core/phase_list.h: `tests/tidy/phases.sh fix` draws them, without `fix` they are compared.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

list=daemon/core/phase_list.h page=doc/algorithm.md
begin='<!-- drawn by tests/tidy/phases.sh -->' end='<!-- drawn until here -->'

# rows MACRO: the arguments of each row, as NAME<TAB>ARGUMENT<TAB>ARGUMENT. Fails if a row is not
# understood, so that `fix` never draws less than the list has.
rows()
{
	local found

	found=$(tr -s '\n\t ' ' ' <$list | grep -oE "$1\([A-Z]+, [^()]*\)" | sed -nE \
		's/" "//g; s/^[A-Z]+\(([A-Z]+), "?([A-Za-z]+)"?, "(.*)"\)$/\1\t\2\t\3/p')
	[ "$(grep -c . <<<"$found")" = "$(grep -cE "^[[:space:]]*$1[[:space:]]*\(" $list)" ] ||
		{ echo "$list: not all rows of $1 are understood" >&2; return 1; }
	echo "$found"
}

phases=$(rows PHASE)
steps=$(rows STEP)
draw()
{
	echo '```mermaid'
	echo 'stateDiagram-v2'
	awk -F'\t' '{ print "    " tolower($1) " --> " tolower($2) }' <<<"$steps"
	echo '```'
	echo '| phase | this host |'
	echo '|---|---|'
	awk -F'\t' '{ print "| " $2 " | " $3 " |" }' <<<"$phases"
	echo
	echo '| from | event | to |'
	echo '|---|---|---|'
	awk -F'\t' '{ print "| " tolower($1) " | " $3 " | " tolower($2) " |" }' <<<"$steps"
}

# part WHICH: the lines of the page before, of or after the drawing.
part()
{
	awk -v begin="$begin" -v end="$end" -v want="$1" '
		$0 == end { at = "after" }
		{ if (at == want || (at == "" && want == "before")) print }
		$0 == begin { at = "drawing" }' $page
}
[ "$(grep -xF -e "$begin" -e "$end" $page)" = "$begin"$'\n'"$end" ] ||
	{ echo "$page: needs one line '$begin', and below it one line '$end'"; exit 1; }
if [ "${1:-}" = fix ]; then
	whole=$(part before; draw; part after)
	echo "$whole" >$page
else
	diff <(part drawing) <(draw) ||
		{ echo "$page (<) differs from $list (>): tests/tidy/phases.sh fix"; exit 1; }
fi
