#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian packages, on Debian 12 or 13:
#
#	debian/build.sh [--check] [--source] [FOLDER]
#
# They are in FOLDER then, `packages` if none is named. What is missing to build them is installed
# first (only that needs root). With --check, all tests run that need neither root nor network. With
# --source, what else an archive of packages wants is there, too: the source, and what is signed.
# Built is what git tracks and what is new, in a temporary copy, and nothing else counts: on the same
# Debian with the same packages installed the same source gives the same bytes, wherever, whenever
# and by whomever it is built.
set -eu

check=no source_too=no
while :; do
	case ${1:-} in
	--check) check=yes ;;
	--source) source_too=yes ;;
	-*)
		echo "usage: $0 [--check] [--source] [FOLDER]" >&2
		exit 2
		;;
	*) break ;;
	esac
	shift
done
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "${1:-packages}"
folder=$(cd "${1:-packages}" && pwd)

# Of the environment nothing but this.
clean()
{
	env -i LC_ALL=C.UTF-8 HOME=/nonexistent PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		TMPDIR="${TMPDIR:-/tmp}" DEB_BUILD_OPTIONS="$options" DEB_BUILD_PROFILES="$profiles" "$@"
}
options="parallel=$(nproc)" profiles=''
if [ $check = no ]; then
	options="$options nocheck" profiles=nocheck
fi

# dpkg-dev may be missing too, and then nobody can say what else.
missing()
{
	! command -v dpkg-checkbuilddeps >/dev/null || ! (cd "$source" && clean dpkg-checkbuilddeps)
}

if missing; then
	[ "$(id -u)" = 0 ] || {
		echo "run this as root once, to install what is missing" >&2
		exit 1
	}
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get build-dep -q -y --no-install-recommends \
		-P "$profiles" "$source"
fi

# What git knows and is there; without git all that is there.
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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
