#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The rules of both client libraries print the lines of holder.table. After a change that is meant:
# python3 -B tests/unit/lib/play.py holder.table, compared by eye, is the new table.
set -eu
c=$PWD/tests/unit/lib/play
cd "${srcdir:-.}/tests/unit/lib"

[ "$(grep -c '^new ' holder.table)" -gt 100 ] || { echo "found too few histories"; exit 1; }
for rule in R{1..10}; do
	grep -q "^# $rule: " holder.table || { echo "holder.table: no history of $rule"; exit 1; }
done
failed=0
for language in python c; do
	case $language in
	python) player=(python3 -B play.py) ;;
	c) player=("$c") ;;
	esac
	"${player[@]}" <holder.table | diff -U 8 holder.table - || {
		echo "the rules in $language do not play holder.table (- expected, + played)"
		failed=1
	}
done
exit $failed
