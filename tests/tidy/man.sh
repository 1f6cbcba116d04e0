#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The manual is well formed and complete: the pages list every field of the codec with its number
# and value, every option of electd and every verb of electctl.
set -eu
build=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0
wrong()
{
	echo "$*"
	failed=1
}

command -v mandoc >/dev/null || skip "no mandoc here (package mandoc)"

mandoc -T lint -W warning man/*.[1-8] || wrong "mandoc complains"

# page FILE: prints the page as text, for searches
page()
{
	mandoc -T ascii "$1" | sed 's,.\x08,,g'
}

# "number name value" of every field: from the codec, and from the table of the protocol page.
codec=$("$build/electctl" decode --fields | grep -E '^[0-9]+ ' | sort)
[ -f man/electd-protocol.7 ] || { echo "man/electd-protocol.7 is missing"; exit 1; }
manual=$(sed -n '/^\.Sh MESSAGE FIELDS/,/^\.El/p' man/electd-protocol.7 |
	sed -nE 's/^\.It ([0-9]+) Ta ([a-z_]+) Ta /\1 \2 /p' | sort)
[ -n "$codec" ] || wrong "electctl decode --fields names no field"
if [ "$codec" != "$manual" ]; then
	wrong "fields differ, < codec, > man/electd-protocol.7:"
	diff <(echo "$codec") <(echo "$manual") | grep '^[<>]' || true
fi

# Scripts in the pages must at least parse.
for file in man/*.[1-8]; do
	sed -n '/^#!\/bin\/sh/,/^\.Ed/p' "$file" | sed -e '/^\.Ed/s/.*//' -e 's/\\e/\\/g' | sh -n ||
		wrong "$file: an example is no shell script"
done

# electd(3) and README.md print programs of examples/clients, which tests/lan/clients.py runs.
for display in C:c Python:py; do
	file=examples/clients/report.${display#*:}
	diff <(sed -n "/^\.Ss ${display%:*}\$/,/^\.Ed\$/p" man/electd.3 | sed '1,2d; $d; s/\\e/\\/g') \
		"$file" || wrong "man/electd.3 prints another program than $file"
done
[[ "$(sed 's/^    //' README.md)" == *"$(cat examples/clients/report.py)"* ]] ||
	wrong "README.md prints another program than examples/clients/report.py"

# Each test that the manual names must exist.
for file in $(grep -ohE 'tests/[a-z_/]+\.[a-z]+' man/*.[1-8] | sort -u); do
	[ -e "$file" ] || wrong "the manual names $file, which does not exist"
done

# listed PROGRAM PAGE PATTERN: the page has everything that matches in the program's help
listed()
{
	local text word
	[ -f "$2" ] || return 0
	text=$(page "$2")
	for word in $("$build/$1" --help 2>&1 | grep -oE -- "$3" | sort -u); do
		grep -qE -- "(^|[^a-z-])$word([^a-z-]|$)" <<<"$text" || wrong "$2 does not name $word"
	done
}

listed electd man/electd.8 '--[a-z-]+'
listed electctl man/electctl.1 '--[a-z-]+|^  [a-z-]+'
listed electd-hookd man/electd-hookd.8 '--[a-z-]+'
listed electsim man/electsim.1 '--[a-z-]+|^  [a-z-]+'
exit $failed
