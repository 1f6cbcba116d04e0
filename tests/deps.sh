#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs from Debian what is missing: `tests/deps.sh` for everything the tests need,
# `tests/deps.sh build` for building and for the demo alone, `tests/deps.sh bench` for what
# tests/bench compares electd with; `tests/deps.sh list|missing [build|bench]` only name packages.
# Needs root only if something is missing. With PROMTOOL_DIR set, promtool is put there, if there is
# none. These are the only lists.
set -eu

build='gcc libc6-dev make autoconf automake pkg-config
	libevent-dev libconfig-dev libsystemd-dev libsodium-dev libjansson-dev libmnl-dev
	iproute2 nftables procps util-linux'
tests='libcmocka-dev clang libclang-rt-dev llvm clang-format valgrind libc6-dbg
	mandoc python3 strace binutils git xz-utils zsh fish tshark systemd systemd-container debootstrap
	build-essential debhelper lintian chromium fonts-dejavu-core'
# The peers' services are neither started nor enabled.
bench='python3 nftables gnuplot-nox keepalived corosync etcd-server ucarp'
services='keepalived corosync etcd ucarp'

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

policy=/usr/sbin/policy-rc.d

# Whether a service is known here already.
known()
{
	[ -e "/lib/systemd/system/$1.service" ] || [ -e "/etc/init.d/$1" ]
}

# No service starts while this stands.
forbid_services()
{
	local service

	kept=$(mktemp -d) unknown=
	trap allow_services EXIT
	trap 'exit 130' INT TERM HUP
	for service in $services; do known "$service" || unknown="$unknown $service"; done
	[ ! -e $policy ] || mv $policy "$kept/policy"
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod 755 $policy
}

# As it was. A package enables its service for the next start of the machine: those that came with
# us are not.
allow_services()
{
	local service

	rm -f $policy
	[ ! -e "$kept/policy" ] || mv "$kept/policy" $policy
	rm -rf "$kept"
	for service in $unknown; do
		! known "$service" || update-rc.d "$service" disable >/dev/null 2>&1 || :
	done
}

# One by one, for some may be in no archive of this machine: then the comparison goes without.
install_bench()
{
	local package

	forbid_services
	apt-get update -q >&2 || :
	for package; do
		apt-get install -q -y --no-install-recommends "$package" >&2 ||
			echo "$package cannot be installed: left out" >&2
	done
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
bench) wanted=$bench ;;
'') wanted="$build $tests" ;;
*)
	echo "usage: $0 [list|missing] [build|bench]" >&2
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
[ "$wanted" != "$build $tests" ] || [ -z "${PROMTOOL_DIR:-}" ] || command -v promtool >/dev/null ||
	promtool=promtool
[ -n "$packages$promtool" ] || exit 0
if [ -n "$packages" ] && [ "$(id -u)" != 0 ]; then
	echo "missing, to be installed as root: ${packages//$'\n'/ }" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
if [ "$wanted" = "$bench" ]; then
	# shellcheck disable=SC2086
	install_bench $packages
	exit 0
fi
if [ -n "$packages" ]; then
	echo "installing ${packages//$'\n'/ }" >&2
	apt-get update -q >&2
	# shellcheck disable=SC2086
	apt-get install -q -y --no-install-recommends $packages >&2
fi
[ -z "$promtool" ] || get_promtool "$PROMTOOL_DIR"
