#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that the elections of the lectures cost exactly what their formulas say, that a seed prints
# the same bytes again, and that an algorithm without its corrections is reported.
set -u

electsim=${ELECTSIM:-./electsim}
failed=0

"$electsim" exact || failed=1

some=(exact --hosts 1..5,20 --seed 7)
if [ "$("$electsim" "${some[@]}" | md5sum)" != "$("$electsim" "${some[@]}" | md5sum)" ]; then
	echo "electsim ${some[*]}: two runs print different figures"
	failed=1
fi

# chang-roberts without participants costs more than its formula, and must be reported.
literal=$("$electsim" exact --algorithm chang-roberts --hosts 5 --literal)
status=$?
if [ $status != 1 ] || ! grep -q 'BROKEN$' <<<"$literal"; then
	echo "electsim exact --literal: status $status, and nothing BROKEN"
	failed=1
fi
exit $failed
