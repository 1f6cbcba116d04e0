#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A plain Debian of this machine's release or another, as the root of booted hosts or of a chroot:
#
#	image.sh [--bare] [--suite NAME] [--include PACKAGE,...] [--command COMMAND] [PROGRAM...]
#
# Prints the folder of the image. It holds the minimal base of debootstrap, systemd and ip (not with
# --bare), the named packages and the libraries of the programs, but nothing of electd. COMMAND,
# such as an apt-get, runs in it last, with the network of this machine and "yes" as input.
# Recommended packages are left out. An image is made once, in
# ${ELECTD_CACHE:-${XDG_CACHE_HOME:-/var/cache}/electd-tests}, and again after a month; an
# incomplete one is never used. Packages come from the archives of this machine's apt. The status is
# 77 if no image can be made, and 1 if COMMAND fails.
set -eu

# systemd to boot, ip for the network, and arping for the hook of electd-hooks(7).
base='systemd systemd-sysv iproute2 iputils-arping'

# no WHY: no host can be booted here, which is no failure of the tests.
no()
{
	echo "no Debian image: $*"
	exit 77
}

# libraries PROGRAM...: the packages of their libraries, which dpkg knows by /lib or /usr/lib.
libraries()
{
	local file
	ldd "$@" | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' | sort -u | while read -r file; do
		file=$(realpath "$file")
		dpkg-query -S "$file" "${file#/usr}" 2>/dev/null | head -n 1 | cut -d: -f1
	done | sort -u
}

# The archives from which apt gets this machine's release, best guess first. Third-party archives
# among them fail by their signature. Another release is assumed to be in the same archives.
archives()
{
	apt-get update --print-uris 2>/dev/null |
		sed -nE "s,^'((https?|file):[^']*)/dists/$release/(In)?Release'.*,\1,p" | uniq
}

progress()
{
	awk '$1 == "I:" && !($2 in seen) { seen[$2]; print "image: " $0 } { fflush() }' >&2
}

run_command()
{
	[ -n "$command" ] || return 0
	echo "image: $command" >&2
	echo 'APT::Install-Recommends "false";' >"$1/etc/apt/apt.conf.d/10-electd-tests"
	[ -z "${http_proxy:-}" ] ||
		echo "Acquire::http::Proxy \"$http_proxy\";" >>"$1/etc/apt/apt.conf.d/10-electd-tests"
	# The namespace ends the processes of a server that a package starts.
	yes | LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive unshare --mount --pid --fork --kill-child sh -c '
		mount -t proc proc "$0/proc" && mount -t devtmpfs dev "$0/dev" &&
			chroot "$0" sh -ec "apt-get update -q; $1"' "$1" "$command" >"$1.log" 2>&1 ||
		{
			tail -n 5 "$1.log"
			echo "failed in the image: $command"
			exit 1
		}
}

bootstrap()
{
	(
		set -o pipefail
		unshare --mount --pid --fork --kill-child debootstrap --variant=minbase \
			--include="$(tr -s ' \n' ',' <<<"$packages" | sed 's/,$//')" \
			"$suite" "$1" "$2" 2>&1 </dev/null | tee "$log" | progress
	)
}

# build FOLDER: in a mount namespace of its own, so that no mount is left
build()
{
	local archive proxy log=$1.log
	proxy=$(apt-config shell p Acquire::http::Proxy | sed "s/^p=//; s/'//g")
	[ -z "$proxy" ] || [ "$proxy" = DIRECT ] || export http_proxy=$proxy
	for archive in $(archives); do
		rm -rf "$1"
		mkdir -m 755 "$1"
		if bootstrap "$1" "$archive" && run_command "$1"; then
			rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/* "$1/etc/machine-id"
			return
		fi
		tail -n 5 "$log" >&2
	done
	return 1
}

# is_old: older than a month, and no host uses it: each user of an image holds a lock on its folder.
is_old()
{
	[ -n "$(find "$image" -maxdepth 0 -mtime +30)" ] && flock -n -x "$image" true
}

include='' command='' suite=''
while :; do
	case ${1:-} in
	--bare)
		base=''
		shift
		continue
		;;
	--include) include=$2 ;;
	--command) command=$2 ;;
	--suite) suite=$2 ;;
	-*)
		echo "usage: $0 [--bare] [--suite NAME] [--include PACKAGE,...] [--command COMMAND]" \
			"[PROGRAM...]" >&2
		exit 2
		;;
	*) break ;;
	esac
	shift 2
done
[ "$(id -u)" = 0 ] || no "only root can make one"
command -v debootstrap >/dev/null || no "no debootstrap here"
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ -n "$release" ] || no "this system's release has no name"
suite=${suite:-$release}
packages=$(printf '%s\n' $base ${include//,/ } $([ $# = 0 ] || libraries "$@"))
key=$suite-$(dpkg --print-architecture)-$(sha256sum <<<"$packages$command" | cut -c 1-12)

cache=${ELECTD_CACHE:-${XDG_CACHE_HOME:-/var/cache}/electd-tests}/images
mkdir -p "$cache" 2>/dev/null || no "$cache cannot be made"
image=$cache/$key
# An existing image is used at once, even if another process makes one.
if [ -d "$image" ] && ! is_old; then
	echo "$image"
	exit
fi
exec 9>"$cache/lock"
flock -n 9 || {
	echo "image: somebody else makes one, waiting" >&2
	flock 9
}
# No other process builds now, so a folder with a temporary name is incomplete.
rm -rf --one-file-system "$cache"/.building.*
if [ ! -d "$image" ] || is_old; then
	new=$(mktemp -d "$cache/.building.XXXXXX")
	trap 'rm -rf --one-file-system "$new"' EXIT
	echo "image: making $key, about a minute" >&2
	if build "$new/root"; then
		[ ! -e "$image" ] || mv "$image" "$new/old"
		mv "$new/root" "$image"
		touch "$image"
	elif [ ! -d "$image" ]; then
		no "debootstrap of $suite failed"
	else
		echo "image: that failed; the one of $(date -r "$image" +%F) is used" >&2
	fi
fi
echo "$image"
