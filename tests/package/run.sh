#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The Debian packages: tests/package/run.sh [full | SUITE]. They are built here, lintian has nothing to say,
# they hold what `make install` installs, and hosts that are booted from a plain Debian get, upgrade
# and lose them. `full` does the same in Debian 12 and 13, with all tests of `make check`, and builds
# twice under conditions that must not count; SUITE is that in one Debian, bookworm for example. Each
# Debian is an image of tests/lan/booted/image.sh. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
. "$here/../lan/steps.sh"

# attempt NAME COMMAND...: one line of result; its log stays if it failed
attempt()
{
	local name=$1 log=$logs/${1// /-} begin=$SECONDS
	shift
	if "$@" >"$log" 2>&1; then
		echo "ok $name: $((SECONDS - begin)) s"
		echo "1 0 0" >>"$work/counts"
		rm "$log"
		return 0
	fi
	echo "FAILED $name"
	echo "---- $name"
	tail -n 40 "$log"
	echo "0 1 0" >>"$work/counts"
	return 1
}

# ---- what is looked at -------------------------------------------------------------------------------

# It finds neither errors nor warnings, in the source either.
lintian='lintian --allow-root --fail-on error,warning'

# What packages of Debian have besides.
papers='^/usr/share/doc/[^/]*/(changelog.*|copyright)$|^/usr/share/lintian/'

# same_files FOLDER: all packages together have the files of `make install`, as doc/install.md has it
same_files()
{
	local deb file
	make -s -C "$BUILDDIR" install prefix=/usr DESTDIR="$work/installed" || return 1
	(cd "$work/installed" && find . ! -type d -printf '/%P\n') | sort >"$work/installed.list"
	for deb in "$1"/*.deb; do
		case $deb in
		*-dbgsym_*) ;;
		*) dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n 's,^\./\(.*[^/]\)$,/\1,p' ;;
		esac
	done | grep -vE "$papers" | sed -E 's,(/man/.*)\.gz$,\1,' | sort >"$work/packed.list"
	[ "$(wc -l <"$work/packed.list")" -gt 30 ] &&
		diff "$work/installed.list" "$work/packed.list" || return 1
	# What is no program is the same to the byte.
	dpkg-deb -x "$(ls "$1"/electd_*.deb)" "$work/unpacked" || return 1
	while read -r file; do
		case $file in
		*/systemd/system/* | */bin/* | */sbin/* | */man/man*) continue ;;
		esac
		[ ! -e "$work/unpacked$file" ] ||
			cmp "$work/installed$file" "$work/unpacked$file" || return 1
	done <"$work/installed.list"
}

# ---- in another Debian -------------------------------------------------------------------------------

# What control asks for when all tests are run, in one line.
needed()
{
	sed -n '/^Build-Depends:/,/^$/p' "$tree/debian/control" | sed 1d | sed 's/<[^>]*>//' |
		tr -s '\n ' ' '
}

# image SUITE: a Debian in which packages can be built
image()
{
	bash "$here/../lan/booted/image.sh" --suite "$1" --command \
		"apt-get satisfy -y 'build-essential, debhelper, lintian, faketime, adduser, $(needed)'"
}

# inside IMAGE COMMAND ARGUMENT...: in a throw-away copy of it; the source is in /source, and
# packages come out of /packages, which is $packages here
inside()
{
	local image=$1
	shift
	mkdir -p "$work/inside"
	# shellcheck disable=SC2016
	unshare --mount --uts --net --pid --fork --kill-child bash -euc '
		umask 022
		mount -t tmpfs -o mode=755 inside "$1"
		cd "$1"
		mkdir upper work root
		mount -t overlay -o "lowerdir=$2,upperdir=upper,workdir=work" inside root
		mkdir root/source root/packages
		mount --bind "$3" root/source && mount --bind "$4" root/packages
		mount -t proc proc root/proc && mount -t devtmpfs dev root/dev
		mkdir -p root/dev/shm && mount -t tmpfs -o mode=1777 shm root/dev/shm
		ip link set lo up
		shift 4
		exec chroot root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
	' - "$work/inside" "$image" "$tree" "$packages" "$@"
}

# Another folder, user, mask, locale, time zone, name of the host, year and number of cores, no
# tests; by Debian's own command.
elsewhere='
	hostname elsewhere
	useradd -m -d /srv/somebody somebody
	mkdir -p /srv/somebody/far/away
	cp -r /source /srv/somebody/far/away/x
	chown -R somebody /srv/somebody /packages
	cd /srv/somebody/far/away/x
	rm -rf .git
	umask 077
	runuser -u somebody -- env HOME=/srv/somebody LC_ALL=C TZ=Asia/Kathmandu \
		DEB_BUILD_OPTIONS="nocheck parallel=1" DEB_BUILD_PROFILES=nocheck \
		taskset -c 0 faketime -f +400d dpkg-buildpackage -us -uc -b
	cp ../*.deb /packages'

# same_bytes FOLDER FOLDER
same_bytes()
{
	local deb
	[ "$(cd "$1" && ls -- *.deb)" = "$(cd "$2" && ls)" ] || return 1
	for deb in "$1"/*.deb; do
		cmp "$deb" "$2/${deb##*/}" || return 1
	done
}

# debian SUITE: all of it there. start_hold is three beacons of 200 ms.
debian()
{
	local suite=$1 root packages
	root=$(image "$suite")
	case $? in
	0) ;;
	77)
		echo "SKIP $suite: $root"
		echo "0 0 1" >>"$work/counts"
		return
		;;
	*)
		attempt "$suite: an image: $root" false
		return
		;;
	esac
	packages=$work/$suite-here
	mkdir "$packages" "$work/$suite-elsewhere"
	attempt "$suite: built, with make check" inside "$root" nice -n 15 \
		/source/debian/build.sh --check --source /packages || return
	packages=$work/$suite-elsewhere
	attempt "$suite: built under other conditions" inside "$root" nice -n 15 sh -ec "$elsewhere" &&
		attempt "$suite: the same bytes" same_bytes "$work/$suite-here" "$packages"
	packages=$work/$suite-here
	attempt "$suite: lintian" inside "$root" sh -c "$lintian /packages/*.changes"
	step "$suite" booted.py "$suite" "$packages" 1.6
}

case ${1:-default} in
default)
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	if attempt "built" nice -n 15 bash "$tree/debian/build.sh" --source "$work/packages"; then
		attempt "lintian" sh -c "$lintian '$work'/packages/*.changes"
		attempt "the files of make install" same_files "$work/packages"
		step booted booted.py "$suite" "$work/packages"
	fi
	;;
full)
	if attempt "built" nice -n 15 bash "$tree/debian/build.sh" "$work/packages"; then
		attempt "the files of make install" same_files "$work/packages"
	fi
	debian bookworm
	debian trixie
	;;
-*)
	echo "usage: $0 [full | SUITE]" >&2
	exit 2
	;;
*) debian "$1" ;;
esac
total
