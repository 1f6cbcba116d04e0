#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# No test with real daemons judges by the clock. A program waits for an event. It sleeps only
# between two looks (0.1 s at most), for a random pause of a storm, or for a named time of the
# protocol or of another program. The measuring programs are in tests/bench.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

programs=$(list_files | grep -E '^tests/(lan|examples|package)/.*\.py$')
[ -n "$programs" ] || { echo "no programs were judged"; exit 1; }
# shellcheck disable=SC2086
found=$(grep -nE 'sleep\(' $programs |
	grep -vE 'sleep\((0\.(0[0-9]+|1)|[^()]*\buniform\([^()]*\)|[A-Za-z_.0-9 *]*\b[A-Z][A-Z_]+|max\(0[^()]*, .*|pause)\)' || true)
[ -z "$found" ] || {
	echo "these sleep for a time that says nothing: wait for an event, or name the time:"
	echo "$found"
	exit 1
}
