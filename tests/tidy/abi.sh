#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# libelectd.so.0 keeps its promises to the programs that load it: the library exports the functions of
# electd.h and nothing else, as the symbols file of its package has them; needs few libraries; starts
# no thread and process, handles no signal, prints nothing. electd.h compiles alone as C99 and C++,
# and its sizes, places and numbers are those of abi.c.
set -eu
build=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

library=$build/libelectd.so.0
node=LIBELECTD_0
failed=0
wrong()
{
	echo "$*"
	failed=1
}

[ -e "$library" ] || { echo "libelectd.so.0 is missing: nothing was judged"; exit 1; }

# ---- symbols -------------------------------------------------------------------------------------

# same WHAT LIST WHAT LIST: both lists have the same lines
same()
{
	local found
	found=$(diff <(echo "$2") <(echo "$4") | grep '^[<>]') || return 0
	wrong "symbols differ, < $1, > $3:
$found"
}

declared=$(sed -nE "s/^[a-z].*[ *](electd_[a-z_]+)\(.*/\1@$node/p" lib/electd.h | sort)
exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub("@@", "@", $3); print $3 }' | sort)
packed=$(sed -nE "s/^ ([^ ]+) [^ ]+$/\1/p" debian/libelectd0.symbols | grep -v "^$node@" | sort)
[ "$(wc -l <<<"$declared")" -ge 8 ] || wrong "found few functions in lib/electd.h: were they judged?"
same lib/electd.h "$declared" libelectd.so.0 "$exported"
same lib/electd.h "$declared" debian/libelectd0.symbols "$packed"

# ---- what the library asks for -------------------------------------------------------------------

needed=$(readelf -dW "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\.so.*/\1/p')
[ -n "$needed" ] || wrong "libelectd.so.0 needs no library: was it judged?"
for name in $needed; do
	case $name in
	libc | libjansson | ld-linux*) ;;
	*) wrong "libelectd.so.0 may not be linked with $name" ;;
	esac
done
readelf -dW "$library" | grep -q 'SONAME.*\[libelectd\.so\.0\]' || wrong "its soname is another one"

forbidden='pthread_create thrd_create fork vfork clone posix_spawn posix_spawnp system popen execve
	signal sigaction sigprocmask pthread_sigmask exit _exit _Exit quick_exit atexit at_quick_exit
	setenv putenv setlocale chdir umask
	stdout stderr printf vprintf fprintf vfprintf dprintf puts putchar perror syslog err warn'
asked=$(nm -D --undefined-only "$library" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' |
	sed -E 's/^__(.*)_chk$/\1/' | sort -u)
[ -n "$asked" ] || wrong "libelectd.so.0 asks for nothing: it was not judged"
for symbol in $forbidden; do
	! grep -qx "$symbol" <<<"$asked" || wrong "libelectd.so.0 may not use $symbol"
done

# ---- the header ----------------------------------------------------------------------------------

# compiles COMPILER OPTION...: abi.c compiles without a warning
compiles()
{
	"$@" -Wall -Wextra -pedantic -Werror -Ilib -fsyntax-only tests/tidy/abi.c ||
		wrong "${*:2}: electd.h, or a value that abi.c pins, is wrong"
}

compiles "${CC:-cc}" -std=c99
if command -v "${CXX:-g++}" >/dev/null; then
	compiles "${CXX:-g++}" -std=c++11 -x c++
else
	echo "not judged: electd.h as C++, because ${CXX:-g++} is not installed"
fi
exit $failed
