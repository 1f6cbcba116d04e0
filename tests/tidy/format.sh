#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# clang-format decides about spaces, so nobody has to. `tests/tidy/format.sh fix` does it.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

command -v clang-format >/dev/null || skip "no clang-format here (package clang-format)"
if [ "${1:-}" = fix ]; then
	list_c | xargs clang-format -i
	exit 0
fi
list_c | xargs clang-format --dry-run -Werror
