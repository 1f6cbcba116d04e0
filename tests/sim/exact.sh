#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What the elections of the lectures cost is what their formulas say, to the message; the same seed
# prints the same bytes; and where an algorithm is played with its gap, that is seen.
set -u

electsim=${ELECTSIM:-./electsim}
failed=0

"$electsim" exact || failed=1

some=(exact --hosts 1..5,20 --seed 7)
if [ "$("$electsim" "${some[@]}" | md5sum)" != "$("$electsim" "${some[@]}" | md5sum)" ]; then
	echo "electsim ${some[*]}: two runs print different figures"
	failed=1
fi

# Chang's and Roberts' without participants costs more than it should, and that is no success.
literal=$("$electsim" exact --algorithm chang-roberts --hosts 5 --literal)
status=$?
if [ $status != 1 ] || ! grep -q 'BROKEN$' <<<"$literal"; then
	echo "electsim exact --literal: status $status, and nothing BROKEN"
	failed=1
fi
exit $failed
