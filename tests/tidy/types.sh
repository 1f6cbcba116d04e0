#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The types of electd.py are complete, and mypy finds no error in them.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

# The package python3-mypy is one of the system's Python.
python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -m mypy --version >/dev/null 2>&1 && python=$candidate && break
done
[ -n "$python" ] || skip "no mypy"
check=("$python" -m mypy --strict --cache-dir=/dev/null)
"${check[@]}" --no-error-summary lib/python/electd.py

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
sed 's/^def _boot_ms() -> int:/def _boot_ms():/' lib/python/electd.py >"$work/electd.py"
! "${check[@]}" "$work/electd.py" >/dev/null || { echo "mypy accepts a function without types"; exit 1; }
