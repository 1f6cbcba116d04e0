#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The Debian packages: tests/package/run.sh [full | SUITE]. They are built here and pass lintian,
# they hold the files of `make install`, and booted hosts with a plain Debian install, upgrade and
# remove them. `full` does the same in Debian 12 and 13, with all tests of `make check`, and builds
# twice under conditions that must not matter; SUITE does it in one Debian, such as bookworm. Each
# Debian is an image of tests/lan/booted/image.sh. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
. "$here/../lan/steps.sh"

# attempt NAME COMMAND...: one line of result; the log is kept if it failed
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

# ---- checks ------------------------------------------------------------------------------------------

# No errors and no warnings, also in the source package.
lintian='lintian --allow-root --fail-on error,warning'

libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
# Files that Debian adds to packages.
papers='^/usr/share/doc/[^/]*/(changelog.*|copyright)$|^/usr/share/lintian/'

# same_files FOLDER: all packages together have the files of `make install`, as doc/install.md has it
same_files()
{
	local deb file
	make -s -C "$BUILDDIR" install prefix=/usr libdir="$libdir" DESTDIR="$work/installed" || return 1
	(cd "$work/installed" && find . ! -type d -printf '/%P\n') | sort >"$work/installed.list"
	for deb in "$1"/*.deb; do
		case $deb in
		*-dbgsym_*) ;;
		*)
			dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n 's,^\./\(.*[^/]\)$,/\1,p'
			dpkg-deb -x "$deb" "$work/unpacked"
			;;
		esac
	done | grep -vE "$papers" | sed -E 's,(/man/.*)\.gz$,\1,' | sort >"$work/packed.list"
	[ "$(wc -l <"$work/packed.list")" -gt 30 ] &&
		diff "$work/installed.list" "$work/packed.list" || return 1
	# Files without code and without names of folders must be identical.
	while read -r file; do
		case $file in
		*/systemd/system/* | */bin/* | */sbin/* | */man/man* | *.so* | */pkgconfig/*) continue ;;
		esac
		[ ! -e "$work/unpacked$file" ] ||
			cmp "$work/installed$file" "$work/unpacked$file" || return 1
	done <"$work/installed.list"
}

# a_program: the unpacked packages are enough to compile a program, and to run it
a_program()
{
	cat >"$work/program.c" <<-'END' || return 1
		#include <electd.h>
		int main(void) { return electd_open(0, 0) < 0 ? 0 : 1; }
	END
	PKG_CONFIG_PATH=$work/unpacked$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/unpacked \
		pkg-config --cflags --libs electd >"$work/flags" || return 1
	# The flags are words to be split.
	# shellcheck disable=SC2046
	cc -o "$work/program" "$work/program.c" $(cat "$work/flags") &&
		LD_LIBRARY_PATH=$work/unpacked$libdir "$work/program"
}

# ---- in another Debian -------------------------------------------------------------------------------

# All packages that debian/control needs for all tests, in one line.
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

# inside IMAGE COMMAND ARGUMENT...: runs it in a throw-away copy of the image; the source is in
# /source, and packages go to /packages, which is $packages here
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

# Another folder, user, mask, locale, time zone, host name, year and number of cores, and no tests.
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

same_bytes()
{
	local deb
	[ "$(cd "$1" && ls -- *.deb)" = "$(cd "$2" && ls)" ] || return 1
	for deb in "$1"/*.deb; do
		cmp "$deb" "$2/${deb##*/}" || return 1
	done
}

# debian SUITE: all tests in that Debian. start_hold is three beacons of 200 ms.
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
		attempt "the files of make install" same_files "$work/packages" &&
			attempt "a program with libelectd-dev" a_program
		step booted booted.py "$suite" "$work/packages"
	fi
	;;
full)
	if attempt "built" nice -n 15 bash "$tree/debian/build.sh" "$work/packages"; then
		attempt "the files of make install" same_files "$work/packages" &&
			attempt "a program with libelectd-dev" a_program
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
