#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# electd-hookd runs as root, so it must open no socket that another host can reach: it binds,
# listens and resolves nothing, connects only to sockets with a path, and is linked with no network
# library. The test reads the symbols of the program, and its sources if a symbol is not enough.
set -eu
build=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

program=$build/electd-hookd
failed=0
wrong()
{
	echo "$*"
	failed=1
}

[ -e "$program" ] || { echo "electd-hookd is missing: nothing was judged"; exit 1; }

forbidden='bind listen accept accept4 getaddrinfo getaddrinfo_a gethostbyname gethostbyname_r
	gethostbyname2 gethostbyname2_r gethostbyaddr gethostbyaddr_r getnameinfo getservbyname
	res_init res_query res_search getifaddrs if_nametoindex if_indextoname recvmmsg sendmmsg
	sendto recvfrom rcmd rexec dlopen dlsym'
families='event evutil evdns evhttp bufferevent mnl crypto sodium randombytes config nl curl'

asked=$(nm -D --undefined-only "$program" | awk '{ sub(/@.*/, "", $2); print $2 }' | sort -u)
grep -qx socket <<<"$asked" || wrong "electd-hookd asks for no socket at all: was it judged?"
for symbol in $forbidden; do
	! grep -qx "$symbol" <<<"$asked" || wrong "electd-hookd may not use $symbol()"
done
for family in $families; do
	found=$(grep -E "^${family}_" <<<"$asked" || true)
	[ -z "$found" ] || wrong "electd-hookd may not use" $found
done

# These libraries are known, and open no socket to the network by themselves.
needed=$(readelf -dW "$program" | sed -nE 's/.*\(NEEDED\).*\[(.*)\.so.*/\1/p')
[ -n "$needed" ] || wrong "electd-hookd needs no library: was it judged?"
for library in $needed; do
	case $library in
	libc | libjansson | libsystemd | ld-linux*) ;;
	*) wrong "electd-hookd may not be linked with $library" ;;
	esac
done

# code PATTERN: FILE:LINE:TEXT of its sources, without comments, and without the core, which opens
# nothing (core_symbols.sh); electd-hookd is linked with the library of lib/
code()
{
	list_c | grep -E '^(lib|daemon/(hookd|program))/|^daemon/words/(entry|log)\.' | xargs grep -nE -- "$1" |
		grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/?\*|//)' || true
}

sockets=$(code '(^|[^a-z_])socket(pair)?\(')
[ -n "$sockets" ] || wrong "found no socket() in its sources: was it judged?"
others=$(grep -vE 'socket(pair)?\(AF_UNIX,' <<<"$sockets" || true)
[ -z "$others" ] || wrong "hookd may open only sockets with a path:
$others"
# A program can make any call by its number.
numbers=$(code '(^|[^a-z_])syscall\(')
[ -n "$numbers" ] || wrong "found no syscall() in its sources: was it judged?"
others=$(grep -vE 'syscall\(SYS_(close_range|pidfd_open|pidfd_send_signal),' <<<"$numbers" || true)
[ -z "$others" ] || wrong "hookd may not make this call by its number:
$others"
# The program may only parse an address.
others=$(code '(AF|PF)_(INET6?|PACKET|NETLINK|VSOCK|BLUETOOTH)|IPPROTO_|SOCK_RAW|struct sockaddr_(in|in6|ll|nl|storage)' |
	grep -vE 'inet_(pton|ntop)\(' || true)
[ -z "$others" ] || wrong "hookd may know the network only as text:
$others"
exit $failed
