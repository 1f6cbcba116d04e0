#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# clang-format decides about spaces; `tests/tidy/format.sh fix` applies it. Its major versions
# differ, so one version decides; `tests/tidy/format.sh version` succeeds if that version is
# installed.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

major=14
program=
for name in clang-format-$major clang-format; do
	if [[ $($name --version 2>/dev/null) == *" version $major."* ]]; then
		program=$name
		break
	fi
done
[ -n "$program" ] || case ${1:-} in
version)
	echo "left out: tests/tidy/format.sh, because clang-format $major is not installed"
	exit 1
	;;
*) skip "no clang-format $major here (package clang-format of Debian 12)" ;;
esac
case ${1:-} in
version) ;;
fix) list_c | xargs "$program" -i ;;
*) list_c | xargs "$program" --dry-run -Werror ;;
esac
