#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Automake knows no patterns: a file that is in no list is neither built nor packed, and such a test
# never runs. Every file must be named in Makefile.am or in the sources.mk of its folder, or be in a
# data folder that is named there; every sources.mk must be included.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0
# The words of the lists, one a line, to compare whole names.
words()
{
	sed -e 's/#.*//' -e 's/\\$//' "$1" | tr -s ' \t=' '\n' | sed "s,%D%,$(dirname "$1"),"
}

named=$(for list in Makefile.am $(list_files | grep '/sources\.mk$'); do words "$list"; done | sort -u)
# Folders are packed whole; C files are named one by one.
folders=$(while read -r word; do
	case $word in
	*/*) if [ -d "$word" ]; then echo "$word"; fi ;;
	esac
done <<<"$named")

is_named()
{
	case $1 in
	Makefile.am | configure.ac) return 0 ;; # automake packs them unasked
	.gitignore | .ci/*) return 0 ;;	     # only useful in a repository
	# Each of these is a program of the same name.
	tests/unit/*/test_*.c | tests/fuzz/fuzz_*.c | tests/lan/*.c) set -- "${1%.c}" ;;
	esac
	grep -qxF -- "$1" <<<"$named" && return 0
	case $1 in
	*.c | *.h | */sources.mk) return 1 ;;
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
		echo "no list names $file"
		failed=1
	fi
done < <(list_files)

for corpus in tests/fuzz/corpus/*; do
	[ ! -d "$corpus" ] || [ -f "tests/fuzz/fuzz_${corpus##*/}.c" ] || {
		echo "$corpus has no fuzz program"
		failed=1
	}
done
exit $failed
