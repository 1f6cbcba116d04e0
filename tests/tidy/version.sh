#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# configure.ac, the package and NEWS.md have the same version.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0
version=$(sed -nE 's/^AC_INIT\(\[electd\], \[([0-9.]+)\]\)$/\1/p' configure.ac)
[ -n "$version" ] || { echo "configure.ac names no version"; exit 1; }
packed=$(sed -nE '1s/^electd \(([^)]+)\) .*/\1/p' debian/changelog)
# Debian's suffix for a package that is built again, or before a release.
case $packed in
"$version" | "$version"[+~]*) ;;
*)
	echo "debian/changelog is about ${packed:-nothing}, configure.ac about $version"
	failed=1
	;;
esac
news=$(sed -nE 's/^## ([0-9.]+).*/\1/p' NEWS.md | head -n 1)
[ "$news" = "$version" ] || {
	echo "NEWS.md is about ${news:-nothing}, configure.ac about $version"
	failed=1
}
exit $failed
