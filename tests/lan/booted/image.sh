#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A plain Debian of this machine's release or another one, as the root of booted hosts or of a chroot:
#
#	image.sh [--bare] [--suite NAME] [--include PACKAGE,...] [--command COMMAND] [PROGRAM...]
#
# The script prints the folder of the image. The image holds the minimal base of debootstrap, systemd and
# ip (not with --bare), the named packages and the libraries of the programs; nothing of electd. COMMAND
# is run in it last, with the network of this machine, by a shell that answers yes, for example an
# apt-get. Recommended packages are left out. An image is made once, under
# ${ELECTD_CACHE:-${XDG_CACHE_HOME:-/var/cache}/electd-tests}, and again after a month. An incomplete
# build is never used. Packages come from the archives of this machine's apt. The status is 77 if no
# image can be made, and 1 if COMMAND fails.
set -eu

# A system that boots, ip for its network, and arping for the hook of electd-hooks(7).
base='systemd systemd-sysv iproute2 iputils-arping'

# no WHY: no host can be booted here, and that is no failure of what would run on it.
no()
{
	echo "no Debian image: $*"
	exit 77
}

# The packages of the libraries of "$@". dpkg knows one by its name in /lib or in /usr/lib.
libraries()
{
	local file
	ldd "$@" | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' | sort -u | while read -r file; do
		file=$(realpath "$file")
		dpkg-query -S "$file" "${file#/usr}" 2>/dev/null | head -n 1 | cut -d: -f1
	done | sort -u
}

# Where apt gets this machine's release from, best guess first; an archive of other people's packages
# may be among them, and is refused by its signature. Another release is where this one is.
archives()
{
	apt-get update --print-uris 2>/dev/null |
		sed -nE "s,^'((https?|file):[^']*)/dists/$release/(In)?Release'.*,\1,p" | uniq
}

# What debootstrap does, one line for each kind of work.
progress()
{
	awk '$1 == "I:" && !($2 in seen) { seen[$2]; print "image: " $0 } { fflush() }' >&2
}

# run_command FOLDER: $command in there, as root on a machine that is installed
run_command()
{
	[ -n "$command" ] || return 0
	echo "image: $command" >&2
	echo 'APT::Install-Recommends "false";' >"$1/etc/apt/apt.conf.d/10-electd-tests"
	[ -z "${http_proxy:-}" ] ||
		echo "Acquire::http::Proxy \"$http_proxy\";" >>"$1/etc/apt/apt.conf.d/10-electd-tests"
	# The processes of a server that a package would start end with the namespace.
	# shellcheck disable=SC2016
	yes | LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive unshare --mount --pid --fork --kill-child sh -c '
		mount -t proc proc "$0/proc" && mount -t devtmpfs dev "$0/dev" &&
			chroot "$0" sh -ec "apt-get update -q; $1"' "$1" "$command" >"$1.log" 2>&1 ||
		{
			tail -n 5 "$1.log"
			echo "failed in the image: $command"
			exit 1
		}
}

# bootstrap FOLDER ARCHIVE. The pipe has the status of debootstrap.
bootstrap()
{
	(
		set -o pipefail
		unshare --mount --pid --fork --kill-child debootstrap --variant=minbase \
			--include="$(tr -s ' \n' ',' <<<"$packages" | sed 's/,$//')" \
			"$suite" "$1" "$2" 2>&1 </dev/null | tee "$log" | progress
	)
}

# build FOLDER: own mount namespace, so that nothing it mounts inside is left
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

# Older than a month, and no host runs from it: whoever uses an image holds a lock on its folder.
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
# One that is there is not waited for, whatever else somebody makes.
if [ -d "$image" ] && ! is_old; then
	echo "$image"
	exit
fi
exec 9>"$cache/lock"
flock -n 9 || {
	echo "image: somebody else makes one, waiting" >&2
	flock 9
}
# Nobody builds now: what is there under a temporary name was cut short.
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
