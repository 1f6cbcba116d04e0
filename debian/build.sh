#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian packages, on Debian 12 or 13:
#
#	debian/build.sh [--check] [--source] [FOLDER]
#	debian/build.sh --plan | --prepare
#
# The packages go to FOLDER, by default `packages`. Missing build dependencies are installed first;
# only that needs root. --check runs all tests that need neither root nor network. --source adds the
# source package and the files for signing it. --plan prints what apt would install, and --prepare
# installs it; both build nothing. If root builds into a folder of the source, that folder gets the
# owner of the source.
#
# The build copies the tracked and the new files of git to a temporary folder and uses nothing else:
# the same source gives the same bytes on every machine with the same Debian and the same packages.
set -eu

check=no source_too=no only=
while :; do
	case ${1:-} in
	--check) check=yes ;;
	--source) source_too=yes ;;
	--plan | --prepare) only=$1 ;;
	-*)
		echo "usage: $0 [--check] [--source] [FOLDER] | --plan | --prepare" >&2
		exit 2
		;;
	*) break ;;
	esac
	shift
done
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The build sees these variables of the environment and no others.
clean()
{
	env -i LC_ALL=C.UTF-8 HOME=/nonexistent PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		TMPDIR="${TMPDIR:-/tmp}" DEB_BUILD_OPTIONS="$options" DEB_BUILD_PROFILES="$profiles" "$@"
}
options="parallel=$(nproc)" profiles=''
if [ $check = no ]; then
	options="$options nocheck" profiles=nocheck
fi

# True if a build dependency is missing, or if it is unknown because dpkg-dev is missing.
missing()
{
	! command -v dpkg-checkbuilddeps >/dev/null || ! (cd "$source" && clean dpkg-checkbuilddeps)
}

# apt_for OPTION...: apt-get build-dep with these options
apt_for()
{
	DEBIAN_FRONTEND=noninteractive apt-get build-dep -q --no-install-recommends \
		-o DPkg::Lock::Timeout=300 -P "$profiles" "$@" "$source"
}

if missing; then
	[ "$(id -u)" = 0 ] || {
		echo "Packages that building needs are missing. Install them once: sudo $0 --prepare" >&2
		exit 1
	}
	case $only in
	--plan)
		apt-get update -q
		# apt's status is 1 because the answer to its question is no.
		LC_ALL=C.UTF-8 apt_for --assume-no || [ $? = 1 ]
		;;
	--prepare) apt_for -y ;;
	*) apt-get update -q && apt_for -y ;;
	esac
fi
[ -z "$only" ] || exit 0

# Prints the existing tracked and new files of git, separated by NUL; without git, all files.
files()
{
	local git=(git -c safe.directory='*' -C "$source")
	if [ -e "$source/.git" ] && "${git[@]}" rev-parse 2>/dev/null; then
		"${git[@]}" ls-files -z --cached --others --exclude-standard
	else
		(cd "$source" && find . ! -type d -printf '%P\0')
	fi | sort -zu | while IFS= read -r -d '' file; do
		if [ -e "$source/$file" ] || [ -L "$source/$file" ]; then printf '%s\0' "$file"; fi
	done
}

umask 022
mkdir -p "${1:-packages}"
folder=$(cd "${1:-packages}" && pwd)
work=$(mktemp -d)
finish()
{
	rm -rf "$work"
	case $(id -u):$folder/ in
	0:"$source"/?*) chown -hR --reference="$source" "$folder" ;;
	esac
}
trap finish EXIT
mkdir "$work/electd"
files | tar -C "$source" --null --no-recursion --files-from=- -cf - |
	tar -C "$work/electd" --no-same-owner --no-same-permissions -xf -
cd "$work/electd"
if [ $source_too = yes ]; then
	clean dpkg-buildpackage -us -uc
	find "$work" -maxdepth 1 -type f -exec cp -t "$folder" {} +
else
	clean dpkg-buildpackage -us -uc -b
	cp "$work"/*.deb "$folder"
fi
(cd "$folder" && ls -- *.deb)
