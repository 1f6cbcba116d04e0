#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The compiler and linker flags that configure chose must show in the programs and in the library.
set -eu

failed=0
[ $# -gt 0 ] || set -- electd electd-address electd-hookd electctl electsim libelectd.so.0

# check PROGRAM WHAT FOUND: prints and counts a fault if FOUND is "no"
check()
{
	if [ "$3" = no ]; then
		echo "$1: $2"
		failed=1
	fi
}

# has PATTERN TEXT: yes or no
has()
{
	if grep -qE -- "$1" <<<"$2"; then echo yes; else echo no; fi
}

not()
{
	if [ "$1" = yes ]; then echo no; else echo yes; fi
}

for program in "$@"; do
	header=$(readelf -hW "$program")
	segments=$(readelf -lW "$program")
	dynamic=$(readelf -dW "$program")
	symbols=$(readelf --dyn-syms -W "$program")
	case $program in
	*.so.*) function=electd_open ;;
	*) function=main ;;
	esac
	# The mark of the whole program proves nothing: the linker leaves it out if the C library's
	# own start files have none, as in Debian 12.
	if [[ $header =~ Machine:.*(X86-64|80386) ]]; then
		code=$(objdump --disassemble=$function "$program")
		check "$program" "indirect branches are not guarded" "$(has 'endbr(64|32)' "$code")"
	fi
	check "$program" "no position-independent program" "$(has 'Type: +DYN' "$header")"
	check "$program" "no RELRO" "$(has GNU_RELRO "$segments")"
	check "$program" "symbols are bound late" "$(has 'BIND_NOW|FLAGS_1.*NOW' "$dynamic")"
	check "$program" "executable stack" "$(has 'GNU_STACK.* RW +0x' "$segments")"
	check "$program" "segment writable and executable" "$(not "$(has 'LOAD.* RWE ' "$segments")")"
	check "$program" "no stack protector" "$(has __stack_chk_fail "$symbols")"
	check "$program" "not fortified" "$(has ' __(v?s?n?f?printf|mem[a-z]+|str[a-z]+|read|recv[a-z]*|fdelt|poll|fread)_chk' "$symbols")"
done

exit $failed
