#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs missing packages from Debian: tests/deps.sh [list|missing] [SET...]. `list` and `missing`
# only name packages. The default set is `gate`, for building and for the gate of tests/run.sh.
# `build` is for building and for the demo; each other set is what an area needs besides the gate.
# Needs root only if a package is missing. With PROMTOOL_DIR set, the set `tidy` puts promtool
# there, if there is none. These are the only lists of packages.
set -eu

declare -A sets=(
	[build]='gcc libc6-dev make autoconf automake pkg-config libevent-dev libconfig-dev
		libsystemd-dev libsodium-dev libjansson-dev libmnl-dev iproute2 nftables procps util-linux'
	[clang]='clang libclang-rt-dev llvm'
	[valgrind]='valgrind libc6-dbg'
	[tidy]='clang-format zsh fish python3-mypy'
	[page]='chromium fonts-dejavu-core'
	[disk]='strace'
	[lan]='strace tshark valgrind libc6-dbg kmod user-mode-linux'
	[clients]='golang-go rustc'
	[booted]='debootstrap systemd-container strace xz-utils'
)
# The programs that electd is compared with; packages that the archive lacks are left out.
peers='gnuplot-nox keepalived corosync etcd-server ucarp'
# Debian has user-mode-linux for some processors only.
optional="$peers user-mode-linux"
sets[bench]="python3 nftables $peers"
sets[gate]="${sets[build]} libcmocka-dev mandoc python3 binutils git systemd"
sets[examples]=${sets[booted]}
sets[package]="${sets[booted]} build-essential debhelper lintian"
services='keepalived corosync etcd ucarp'

# missing PACKAGE...: those that are not installed
missing()
{
	for package in "$@"; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			echo "$package"
	done
}

# get_promtool FOLDER: only promtool, because its package would also start a server. If promtool is
# not available, its check is skipped.
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
	) || echo "promtool cannot be had: its check of the metrics is skipped" >&2
	rm -rf "$folder"
}

policy=/usr/sbin/policy-rc.d

# known SERVICE: whether the service exists already
known()
{
	[ -e "/lib/systemd/system/$1.service" ] || [ -e "/etc/init.d/$1" ]
}

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

# Restores the start of services. A package enables its service for the next boot: this disables the
# services that were installed here.
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

# One by one, so that a package that cannot be installed does not stop the others.
install_optional()
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
wanted=''
for name in "${@:-gate}"; do
	[ -n "${sets[$name]:-}" ] || {
		echo "usage: $0 [list|missing] [SET...], not '$name'; sets: ${!sets[*]}" >&2
		exit 2
	}
	wanted="$wanted ${sets[$name]}"
done
# The lists are words to be split.
# shellcheck disable=SC2086
wanted=$(printf '%s\n' $wanted | sort -u)
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
case " $* " in
*' tidy '*) [ -z "${PROMTOOL_DIR:-}" ] || command -v promtool >/dev/null || promtool=promtool ;;
esac
[ -n "$packages$promtool" ] || exit 0
if [ -n "$packages" ] && [ "$(id -u)" != 0 ]; then
	echo "missing, to be installed as root: ${packages//$'\n'/ }" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
missing_optional=$(grep -xF "${optional// /$'\n'}" <<<"$packages" || :)
packages=$(grep -vxF "${optional// /$'\n'}" <<<"$packages" || :)
if [ -n "$packages" ]; then
	echo "installing ${packages//$'\n'/ }" >&2
	apt-get update -q >&2
	# shellcheck disable=SC2086
	apt-get install -q -y --no-install-recommends $packages >&2
fi
# shellcheck disable=SC2086
[ -z "$missing_optional" ] || install_optional $missing_optional
[ -z "$promtool" ] || get_promtool "$PROMTOOL_DIR"
