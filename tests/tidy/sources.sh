#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Automake knows no patterns: a file that nobody wrote into a list is neither built nor packed, and
# a test among them would never run. Every file must stand in Makefile.am or in the sources.mk of its
# own folder, or below a folder of data that stands there; every sources.mk is included.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0
# The words of the lists, one a line, so that whole names are compared.
words()
{
	sed -e 's/#.*//' -e 's/\\$//' "$1" | tr -s ' \t=' '\n' | sed "s,%D%,$(dirname "$1"),"
}

named=$(for list in Makefile.am $(list_files | grep '/sources\.mk$'); do words "$list"; done | sort -u)
# Folders are packed whole; C files are named one by one wherever they are.
folders=$(while read -r word; do
	case $word in
	*/*) if [ -d "$word" ]; then echo "$word"; fi ;;
	esac
done <<<"$named")

# is_named FILE
is_named()
{
	case $1 in
	Makefile.am | configure.ac) return 0 ;; # automake packs them unasked
	.gitignore | .ci/*) return 0 ;;	     # of use in a repository only
	# One program each, of the same name.
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
