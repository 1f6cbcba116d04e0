#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs from Debian what is missing: `tests/deps.sh` for everything the tests need,
# `tests/deps.sh build` for building and for the demo alone, `tests/deps.sh list [build]` and
# `tests/deps.sh missing [build]` only name packages. Needs root only if something is missing. With
# PROMTOOL_DIR set, promtool is put there, if there is none. These are the only lists.
set -eu

build='gcc libc6-dev make autoconf automake pkg-config
	libevent-dev libconfig-dev libsystemd-dev libsodium-dev libjansson-dev libmnl-dev
	iproute2 nftables procps util-linux'
tests='libcmocka-dev clang libclang-rt-dev llvm clang-format valgrind libc6-dbg
	mandoc python3 strace binutils git xz-utils systemd systemd-container debootstrap'

# Those of "$@" that are not installed.
missing()
{
	for package in "$@"; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			echo "$package"
	done
}

# The judge of metrics alone, out of a package that would also start a server here, into the folder
# `$1`. Without it one check is skipped, so that is no failure.
get_promtool()
{
	local folder

	folder=$(mktemp -d)
	(
		cd "$folder" &&
			{ apt-get download -q prometheus || { apt-get update -q &&
				apt-get download -q prometheus; }; } >&2 &&
			dpkg-deb --fsys-tarfile prometheus_*.deb | tar -xO ./usr/bin/promtool >promtool &&
			install -D -m 755 promtool "$1/promtool"
	) || echo "no promtool: its check of the metrics is left out" >&2
	rm -rf "$folder"
}

do=install
case ${1:-} in
list | missing)
	do=$1
	shift
	;;
esac
case ${1:-} in
build) wanted=$build ;;
'') wanted="$build $tests" ;;
*)
	echo "usage: $0 [list|missing] [build]" >&2
	exit 2
	;;
esac

# The lists are words to be split.
# shellcheck disable=SC2086
case $do in
list)
	printf '%s\n' $wanted
	exit 0
	;;
missing)
	missing $wanted
	exit 0
	;;
esac
# shellcheck disable=SC2086
packages=$(missing $wanted)
promtool=
[ "$wanted" = "$build" ] || [ -z "${PROMTOOL_DIR:-}" ] || command -v promtool >/dev/null ||
	promtool=promtool
[ -n "$packages$promtool" ] || exit 0
if [ -n "$packages" ] && [ "$(id -u)" != 0 ]; then
	echo "missing, to be installed as root: ${packages//$'\n'/ }" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
if [ -n "$packages" ]; then
	echo "installing ${packages//$'\n'/ }" >&2
	apt-get update -q >&2
	# shellcheck disable=SC2086
	apt-get install -q -y --no-install-recommends $packages >&2
fi
[ -z "$promtool" ] || get_promtool "$PROMTOOL_DIR"
