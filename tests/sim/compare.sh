#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Compares a small comparison, of invitation alone, with the table compare.txt, byte by byte, so that no
# change of cost goes unnoticed. `tests/sim/compare.sh --write` writes a new table.
set -eu
electsim=${BUILDDIR:-$PWD}/electsim
kept=${srcdir:-.}/tests/sim/compare.txt
set -- "${1:-}" --quick --algorithms invitation --hosts 5

table()
{
	echo "# SPDX-License-Identifier: Apache-2.0"
	echo "# electsim compare $*"
	"$electsim" compare "$@"
}

if [ "$1" = --write ]; then
	table "${@:2}" >"$kept"
	exit
fi
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
table "$@" >"$folder/table"
diff "$kept" "$folder/table" || {
	echo "the figures of an election have changed; if that is intended: tests/sim/compare.sh --write"
	exit 1
}
# The other outputs, and the number of processes, change no figure.
for jobs in 1 2; do
	"$electsim" compare "$@" --jobs $jobs --json "$folder/$jobs.json" --svg "$folder/$jobs" \
		--html "$folder/$jobs.html" >/dev/null
done
cmp "$folder/1.json" "$folder/2.json"
cmp "$folder/1.html" "$folder/2.html"
diff -r "$folder/1" "$folder/2"
