#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# No function above 70 lines, no file above 500 (architecture.md 5.9).
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

function_lines_max=70
file_lines_max=500
failed=0

command -v ctags >/dev/null || skip "no ctags here (package universal-ctags)"

functions=$(list_c | ctags -L - -f - --languages=C --langmap=C:.c.h --kinds-C=f --fields=+ne \
	--sort=no | sed -nE 's/^([^\t]+)\t([^\t]+)\t.*\tline:([0-9]+).*\tend:([0-9]+).*/\1 \2 \3 \4/p')
[ -n "$functions" ] || { echo "ctags found no function: nothing was judged"; exit 1; }

while read -r name file first last; do
	lines=$((last - first + 1))
	if [ $lines -gt $function_lines_max ]; then
		echo "$file:$first: $name() has $lines lines, at most $function_lines_max"
		failed=1
	fi
done <<<"$functions"

while read -r file; do
	lines=$(wc -l <"$file")
	if [ "$lines" -gt $file_lines_max ]; then
		echo "$file: $lines lines, at most $file_lines_max"
		failed=1
	fi
done < <(list_c)
exit $failed
