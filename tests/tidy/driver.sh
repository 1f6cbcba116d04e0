#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/run.sh refuses unknown names before it installs anything. Each row of its table has a
# function, and each function a row. A skipped test fails if CI=true. The limit names and ends a
# step.
set -u

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
logs=$work/logs
mkdir "$logs" "$work/running"
. "$tests/count.sh"
. "$tests/areas.sh"
failed=0

# expect WHAT TEXT PATTERN: the whole text must match the extended expression
expect()
{
	[[ $2 =~ ^($3)$ ]] && return
	echo "$1: \"$2\", expected \"$3\""
	failed=1
}

# A refusal never reaches apt-get and mktemp.
mkdir "$work/bin"
for program in apt-get dpkg-query mktemp; do
	printf '#!/bin/sh\ntouch %s/reached\nexit 1\n' "$work" >"$work/bin/$program"
	chmod +x "$work/bin/$program"
done
for wrong in nothing --nothing tidy:lan "lan nothing" "--limit x lan"; do
	# shellcheck disable=SC2086
	said=$(PATH=$work/bin:$PATH bash "$tests/run.sh" $wrong 2>&1)
	expect "status of tests/run.sh $wrong" $? 2
	expect "tests/run.sh $wrong" "$said" ".*'(--)?(nothing|tidy:lan|x)'; tests/run\.sh list prints .*"
	[ ! -e "$work/reached" ] || { echo "tests/run.sh $wrong goes on"; failed=1; }
done
for name in $(rows gate; rows area); do
	declare -F "run_$name" >/dev/null || { echo "no function run_$name"; failed=1; }
	for build in $(row "$name" 3); do
		grep -qE "^	$build\) arguments=" "$tests/areas.sh" || { echo "no build $build"; failed=1; }
	done
	bash "$tests/deps.sh" list $(row "$name" 4) >/dev/null || failed=1
done
expect "functions without a row" "$(compgen -A function run_ | sed 's/^run_//' |
	grep -vxF "$(rows gate; rows area)" | tr '\n' ' ')" ''
expect "tests/run.sh list" "$(bash "$tests/run.sh" list | grep -oE '^  [a-z]\S*' | tr -d ' ')" \
	"$(rows gate; rows area)"

# The count of an automake skip, a cmocka skip and a pass; then of the logs of scripts.
mkdir "$work/build"
for test in SKIP:a PASS:b PASS:c; do
	echo ":test-result: ${test%:*}" >"$work/build/${test#*:}.trs"
	echo "[       OK ] one" >"$work/build/${test#*:}.log"
done
printf '[  SKIPPED ] two\n[  SKIPPED ] %s listed below:\n[  SKIPPED ] two\n' '1 test(s),' 'group: 1 test(s),' \
	>>"$work/build/b.log"
run_automake() { count_trs automake "$work/build"; }
run_script() { exit 77; }
run_lines() { printf 'ok one\nok two\nFAILED three\n'; return 1; }
run_silent() { :; }
run_crash() { echo '3 passed, 0 failed'; return 1; }
expect "skips" "$(CI='' step automake | head -n 1)" 'ok automake \([0-9]+ s\): 2 passed, 0 failed, 2 skipped'
expect "skips in CI" "$(CI=true step automake | head -n 1)" 'FAILED automake .*: 2 passed, 2 failed.*'
expect "a script skips in CI" "$(CI=true step script | head -n 1)" 'FAILED script .*'
expect "lines" "$(step lines | head -n 1)" 'FAILED lines .*: 2 passed, 1 failed'
expect "status only" "$(step silent | head -n 1)" 'ok silent .*: 1 passed, 0 failed'
expect "a crash after its closing line" "$(step crash | head -n 1)" 'FAILED crash .*: 3 passed, 1 failed'

# At the limit, the step and its child run.
run_endless() { sleep 600 & echo $! >"$work/sleeper"; wait; : >"$work/not-ended"; }
step endless >/dev/null &
until [ -s "$work/sleeper" ] && [ -s "$work/running/endless" ]; do sleep 0.05; done
watch 0 >"$work/said" 2>&1
wait
expect "the limit" "$(head -n 1 "$work/said")" 'FAILED endless: the limit .*endless was running.*'
if [ -e "$work/not-ended" ] || alive "$(cat "$work/sleeper")"; then
	echo "the limit does not end the step"
	failed=1
fi
expect "the closing line" "$(CI=true total)" '[0-9]+ passed, [1-9][0-9]* failed'
exit $failed
