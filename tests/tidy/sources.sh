#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Automake knows no patterns: a file that nobody wrote into Makefile.am is neither built nor
# packed, and a test among them would never run. Every file must stand there, or a folder of data
# that holds it.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0
# One word a line, so that whole names are compared.
named=$(sed -e 's/#.*//' -e 's/\\$//' Makefile.am | tr -s ' \t=' '\n' | sort -u)
# Folders in EXTRA_DIST are packed whole; C files are named one by one wherever they are.
folders=$(awk '/^EXTRA_DIST/ { on = 1 } on { sub(/\\$/, " \\"); print } on && !/\\$/ { exit }' \
	Makefile.am | tr -s ' \t\\' '\n' | while read -r word; do
	if [ -d "$word" ]; then echo "$word"; fi
done)

# is_named FILE
is_named()
{
	case $1 in
	Makefile.am | configure.ac) return 0 ;; # automake packs them unasked
	.gitignore | .ci/*) return 0 ;;	     # of use in a repository only
	# One program each, of the same name.
	tests/unit/test_*.c | tests/fuzz/fuzz_*.c | tests/lan/*.c) set -- "${1%.c}" ;;
	esac
	grep -qxF -- "$1" <<<"$named" && return 0
	case $1 in
	*.c | *.h) return 1 ;;
	esac
	while read -r folder; do
		case $1 in
		"$folder"/*) return 0 ;;
		esac
	done <<<"$folders"
	return 1
}

while read -r file; do
	if ! is_named "$file"; then
		echo "Makefile.am does not name $file"
		failed=1
	fi
done < <(list_files)

# An archive knows its members by their last names only.
twice=$(list_c | grep '^daemon/core/.*\.c$' | sed 's,.*/,,' | sort | uniq -d)
[ -z "$twice" ] || {
	echo "two files of the core have the name $twice"
	failed=1
}

for corpus in tests/fuzz/corpus/*; do
	[ ! -d "$corpus" ] || [ -f "tests/fuzz/fuzz_${corpus##*/}.c" ] || {
		echo "$corpus has no fuzz program"
		failed=1
	}
done
exit $failed
