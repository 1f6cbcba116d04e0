#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The core is data in, data out: libelect.a may use only these symbols, and has no variables; nor has
# the client library. In frame and host, a file calls only the files below it; only an algorithm's own folder may have
# circles. The test reads the object files, because macros and headers could hide a call in the
# sources.
set -eu

library=libelect.a
failed=0

# No memory, clock, files, sockets, locale or random numbers.
allowed='
	memchr memcmp bcmp memcpy memmove memset
	strchr strcmp strcpy strcspn strlen strncmp strnlen strrchr strspn strstr
	snprintf vsnprintf
	__memcpy_chk __memmove_chk __memset_chk __strcpy_chk __strlen_chk
	__snprintf_chk __vsnprintf_chk
	__assert_fail __stack_chk_fail _GLOBAL_OFFSET_TABLE_
	crypto_generichash crypto_generichash_init crypto_generichash_update
	crypto_generichash_final crypto_generichash_blake2b crypto_generichash_blake2b_init
	crypto_generichash_blake2b_update crypto_generichash_blake2b_final
	crypto_generichash_blake2b_salt_personal crypto_generichash_blake2b_init_salt_personal
	crypto_verify_16 crypto_verify_32 sodium_memcmp sodium_memzero sodium_stackzero'

nm "$library" >/dev/null
defined=$(nm --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort -u)
asked=$(nm --undefined-only "$library" | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u)
[ -n "$defined" ] || { echo "$library holds no symbol: nothing was judged"; exit 1; }

for symbol in $(comm -13 <(echo "$defined") <(echo "$asked")); do
	case " ${allowed//[[:space:]]/ } " in
	*" $symbol "*) ;;
	*)
		echo "the core may not use $symbol:"
		nm -A --undefined-only "$library" | grep -w "U $symbol"
		failed=1
		;;
	esac
done

# "value flags section<TAB>size name". Constants with addresses are in .data.rel.ro.
for archive in "$library" libelectclient.a; do
	mutable=$(objdump -t "$archive" | awk -F'\t' 'NF == 2 {
		split($2, right, " ")
		n = split($1, left, " ")
		section = left[n]
		if (section ~ /^(\.t?data|\.t?bss|\*COM\*)/ && section !~ /^\.data\.rel\.ro/ &&
			right[1] !~ /^0+$/)
			print right[2] " in " section
	}')
	if [ -n "$mutable" ]; then
		echo "$archive has variables of its own:"
		echo "$mutable"
		failed=1
	fi
done

# calls: prints CALLER CALLED of the objects of a module, from nm's output
calls()
{
	awk -F: '{ n = split($2, word, " "); file[NR] = $1; type[NR] = word[n - 1]; name[NR] = word[n] }
		END {
			for (i = 1; i <= NR; i++) if (type[i] ~ /^[TRDB]$/) home[name[i]] = file[i]
			for (i = 1; i <= NR; i++) if (type[i] == "U" && name[i] in home) print file[i], home[name[i]]
		}' | sort -u
}

# judge MODULE LEAST: at least that many pairs of files must have a call from one to the other
judge()
{
	local files symbols pairs loop first

	files=$(for source in "${srcdir:-.}/$1"/*.c; do basename "$source" .c; done)
	symbols=$(for file in $files; do nm -A "$1/$file.o"; done)
	pairs=$(calls <<<"$symbols")
	[ "$(wc -l <<<"$pairs")" -ge "$2" ] || { echo "found no calls in $1: nothing was judged"; exit 1; }
	if ! loop=$(tsort <<<"$pairs" 2>&1 >/dev/null); then
		echo "files of $1 call each other in a circle:"
		echo "$loop"
		failed=1
	fi
	first=${pairs%%$'\n'*}
	if tsort <<<"$pairs"$'\n'"${first#* } ${first% *}" >/dev/null 2>&1; then
		echo "this check finds no circle in $1 where there is one"
		failed=1
	fi
}

judge daemon/core/frame 20
judge daemon/core/host 5
exit $failed
