#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The state file under faults: killed at every system call of a start and a save, and with a disk
# that fails to write or to sync (strace -e inject). Whatever happens, the next start finds the
# image before or the one after, never less than was confirmed, and never starts anew silently.
# Needs neither root nor network. Judges what strace saw too, for a kill is no power cut: what is
# confirmed must have been synced before.
set -eu -o pipefail

src=$(cd "${srcdir:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
saver=${STORE_SAVER:-$work/saver}
passed=0 failed=0

skip()
{
	echo "skipped: $*"
	exit 77
}

ok()
{
	passed=$((passed + 1))
}

wrong()
{
	echo "FAILED: $*"
	failed=$((failed + 1))
}

# expect WHAT TEXT PATTERN: TEXT, the whole of it, matches the extended expression
expect()
{
	if [[ $2 =~ ^($3)$ ]]; then ok; else wrong "$1: \"$2\", expected \"$3\""; fi
}

command -v strace >/dev/null || skip "no strace here (package strace)"
strace -o /dev/null true 2>/dev/null || skip "strace may trace nothing here"
[ -x "$saver" ] || ${CC:-cc} -std=gnu17 -O1 -g -I"$src/daemon" -o "$saver" \
	"$src/tests/lan/store_saver.c" "$src"/daemon/store/*.c "$src/daemon/core/values.c" \
	"$src/daemon/program/folder.c" \
	-lsodium -pthread

# prepare nothing|five|damaged: the folder $work/dir as it is before the fault
prepare()
{
	rm -rf "$work/dir"
	mkdir "$work/dir"
	[ "$1" = nothing ] || "$saver" "$work/dir" save 4 >/dev/null
	[ "$1" = nothing ] || "$saver" "$work/dir" save 5 >/dev/null
	[ "$1" = damaged ] || return 0
	for place in 100 5000; do
		printf 'xxxxxxxxx' | dd of="$work/dir/state" seek=$place bs=1 conv=notrunc status=none
	done
}

# load: what the next start finds
load()
{
	"$saver" "$work/dir" load | sed -n 's/^found //p;s/^refused/refused/p'
}

# traced OPTIONS -- ARGUMENTS: runs the saver on the folder; trace in $work/trace
traced()
{
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	{ timeout 60 strace -f -o "$work/trace" "${options[@]}" "$saver" "$work/dir" "$@"; } \
		2>/dev/null || true
}

# ---- killed at every system call -----------------------------------------------------------------

# calls: "NAME COUNT" of each system call of an undisturbed run, COUNT the most in one thread
calls()
{
	sed -nE 's/^([0-9]+) +([a-z_0-9]+)\(.*/\1 \2/p' "$work/trace" | sort | uniq -c |
		awk '{ if ($1 > most[$3]) most[$3] = $1 } END { for (name in most) print name, most[name] }'
}

# after_kill BEFORE SAID FOUND WHERE: judges one run
after_kill()
{
	case $1:$2 in
	nothing:*confirmed*) expect "$4" "$3" '6 whole' ;;
	nothing:*handed*) expect "$4" "$3" '(0|6) whole( slot_bad)?' ;;
	nothing:*) expect "$4" "$3" '0 whole( first)?' ;;
	five:*confirmed*) expect "$4" "$3" '6 whole' ;;
	five:*handed*) expect "$4" "$3" '[56] whole( slot_bad)?' ;;
	five:*found*) expect "$4" "$3" '[56] whole( slot_bad)?' ;;
	five:*) expect "$4" "$3" '5 whole' ;;
	damaged:*confirmed*) expect "$4" "$3" '6 whole lost' ;;
	damaged:*found*) expect "$4" "$3" '[06] whole lost' ;;
	damaged:*) expect "$4" "$3" '0 whole lost' ;;
	esac
}

for before in nothing five damaged; do
	prepare $before
	said=$(traced -- save 6)
	expect "undisturbed, $before" "${said//$'\n'/ }" 'found .* handed over confirmed 6 closed 0'
	kills=0
	while read -r name count; do
		for ((n = 1; n <= count; n++)); do
			prepare $before
			said=$(traced -e "inject=$name:signal=KILL:when=$n" -- save 6)
			grep -q 'killed by SIGKILL' "$work/trace" || continue
			kills=$((kills + 1))
			after_kill $before "$said" "$(load)" "$before, killed at $name $n"
			expect "$before, killed at $name $n, then a save" \
				"$("$saver" "$work/dir" save 7 | grep -v found | tr '\n' ' ')" \
				'handed over confirmed 7 closed 0 '
		done
	done < <(calls | grep -vE '^(execve|exit_group|exit) ')
	echo "$before: killed at $kills system calls"
	[ $kills -ge 40 ] || wrong "$before: only $kills kills"
done

# ---- what a confirmed save has done --------------------------------------------------------------

# A call that another thread's interrupts stands in two lines: joined, at its end.
joined()
{
	awk '/<unfinished/ { id = $1; sub(/ <unfinished.*/, ""); begun[id] = $0; next }
		/<\.\.\. .* resumed>/ { id = $1; sub(/^.* resumed>/, ""); print begun[id] $0; next }
		{ print }' "$work/trace"
}

# steps: the calls that matter, in order, without their arguments but offsets and names
steps()
{
	joined | sed -nE -e 's/^[0-9]+ +//' \
		-e 's/^pwrite64\([0-9]+, .*, 4096, ([0-9]+)\) += ([^ ]*).*/pwrite@\1=\2/p' \
		-e 's/^pwrite64\([0-9]+, .*, 8192, 0\) += ([^ ]*).*/pwrite-both=\1/p' \
		-e 's/^(fdatasync|fsync)\([0-9]+\) += ([^ ]*).*/\1=\2/p' \
		-e 's/^renameat\([0-9]+, "([a-z.]+)", [0-9]+, "([a-z.]+)"\) += ([^ ]*).*/rename-\1-\2=\3/p' \
		-e 's/^write\(1, "confirmed.*/said/p' | tr '\n' ' '
}

trace=(-e 'trace=pwrite64,fdatasync,fsync,renameat,write')
prepare nothing
traced "${trace[@]}" -- save 1 >/dev/null
expect "a first start" "$(steps)" \
	'pwrite-both=8192 fsync=0 rename-state.new-state=0 fsync=0 pwrite@0=4096 fdatasync=0 said '
traced "${trace[@]}" -- save 2 >/dev/null
expect "the next save takes the other slot" "$(steps)" 'pwrite@4096=4096 fdatasync=0 said '
traced "${trace[@]}" -- save 3 >/dev/null
expect "and back" "$(steps)" 'pwrite@0=4096 fdatasync=0 said '

# ---- a disk that fails ---------------------------------------------------------------------------

# faulty INJECTION: a save of 6 over 5 with faults on the state file only
faulty()
{
	prepare five
	traced -P "$work/dir/state" -e "trace=pwrite64,fdatasync" -e "inject=$1" -- save 6
}

for error in EIO ENOSPC; do
	number=$([ $error = EIO ] && echo 5 || echo 28)

	said=$(faulty "fdatasync:error=$error:when=1")
	expect "one sync fails with $error" "${said//$'\n'/ }" '.* confirmed 6 closed 0'
	expect "after a failed sync the slot is written anew" "$(steps)" \
		'pwrite@([0-9]+)=4096 fdatasync=-1 pwrite@([0-9]+)=4096 fdatasync=0 '
	expect "a save confirmed at the second try" "$(load)" '6 whole'

	said=$(faulty "fdatasync:error=$error")
	expect "every sync fails with $error" "${said//$'\n'/ }" \
		".* failed 6 $number syncing closed $number"
	expect "a sync is not tried a third time" "$(steps)" \
		'pwrite@([0-9]+)=4096 fdatasync=-1 pwrite@([0-9]+)=4096 fdatasync=-1 '
	expect "not confirmed" "$(load)" '[56] whole( slot_bad)?'

	said=$(faulty "pwrite64:error=$error:when=1")
	expect "one write fails with $error" "${said//$'\n'/ }" '.* confirmed 6 closed 0'
	expect "a save confirmed at the second write" "$(load)" '6 whole'

	said=$(faulty "pwrite64:error=$error")
	expect "every write fails with $error" "${said//$'\n'/ }" \
		".* failed 6 $number writing closed $number"
	expect "nothing is synced that was not written" "$(steps)" \
		'pwrite@([0-9]+)=-1 pwrite@([0-9]+)=-1 '
	expect "not written" "$(load)" '5 whole'
done

for call in openat fsync renameat pwrite64; do
	prepare nothing
	said=$(traced -P "$work/dir" -P "$work/dir/state.new" -P "$work/dir/state" \
		-e "trace=openat,fsync,renameat,pwrite64" \
		-e "inject=$call:error=ENOSPC:when=1+" -- save 6)
	expect "a first start with ENOSPC at $call" "${said//$'\n'/ }" 'refused 28 .*'
	expect "and the next one" "$(load)" '0 whole( first| lost)?'
done

# ---- a disk that hangs ---------------------------------------------------------------------------

prepare five
said=$(traced -P "$work/dir/state" -e trace=fdatasync -e "inject=fdatasync:delay_enter=6s" \
	-- quit 6)
expect "closing does not wait for a disk that hangs" "${said//$'\n'/ }" 'found 5 whole closed 110'
expect "and the next start" "$(load)" '[56] whole'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
