# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by tests/run.sh: runs one step, counts its tests and reports the result. A step is a
# function run_NAME. `work` is a folder of this run; `logs` is a folder in it.

# job NAME COMMAND...: runs the command in a process group, with NAME in `this`. Its output goes to
# the log; $work/running/NAME holds its process id while it runs.
job()
{
	local this=$1 name=$1 status
	shift
	[ ! -e "$work/over" ] || return 125
	set -m
	(
		set +m
		"$@"
	) >"$logs/$name.log" 2>&1 </dev/null &
	set +m
	echo $! >"$work/running/$name"
	wait $! 2>/dev/null
	status=$?
	rm -f "$work/running/$name"
	[ ! -e "$work/over" ] || return 125
	return $status
}

# step NAME: runs run_NAME and reports. The status is 0 if the step has passed.
step()
{
	local began=$SECONDS
	job "$1" "run_$1"
	report "$1" $? $((SECONDS - began))
}

# offspring PID: the process and its descendants, without ps, which a package build may lack
offspring()
{
	local child
	echo "$1"
	for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do offspring "$child"; done
}

# alive PID...: whether one of the processes exists and is not a zombie
alive()
{
	local pid stat
	for pid; do
		{ read -r stat <"/proc/$pid/stat"; } 2>/dev/null || continue
		[[ ${stat##*) } == Z* ]] || return 0
	done
	return 1
}

# end_running: ends the jobs that run, with SIGTERM, and ten seconds later with SIGKILL
end_running()
{
	local file pid pids='' i
	for file in "$work"/running/*; do
		pid=$(cat "$file" 2>/dev/null) || continue
		pids="$pids $(offspring "$pid")"
		kill -TERM -- "-$pid" 2>/dev/null
	done
	for ((i = 0; i < 100; i++)); do
		# shellcheck disable=SC2086
		alive $pids || return 0
		sleep 0.1
	done
	# shellcheck disable=SC2086
	kill -KILL $pids 2>/dev/null
}

# watch SECONDS: the limit. At the end it names and ends the jobs that run; each counts as failed,
# and no other job begins.
watch()
{
	local file name
	# A time-out of read needs no process, so none is left when this one is ended.
	read -r -t "$1" <> <(:)
	: >"$work/over"
	for file in "$work"/running/*; do
		[ -e "$file" ] || continue
		name=${file##*/}
		echo "FAILED $name: the limit of $1 s is over; $name was running and was ended"
		echo "0 1 0" >"$logs/$name.result"
		excerpt "$logs/$name.log"
	done
	end_running
}

# ---- counting ----------------------------------------------------------------------------------------

# trs FOLDER PATTERN: the .trs files of automake's test driver whose result matches
trs()
{
	find "$1" -name '*.trs' -exec grep -lE "^:test-result: ($2)" {} + | sort
}

# cmocka_skips FOLDER: tests that a passing test program has skipped, one per line
cmocka_skips()
{
	trs "$1" 'PASS|XFAIL' | sed 's/trs$/log/' | xargs -r grep -HE '^\[  SKIPPED \] [a-z0-9_]+$' |
		sed -E "s,^$1/,,; s/\.log:.*\] /: /" | sort -u
}

# count_trs NAME FOLDER: counts the tests of a build folder, and prints the logs of failures
count_trs()
{
	local passed failed skipped file
	passed=$(trs "$2" 'PASS|XFAIL' | wc -l)
	failed=$(trs "$2" 'FAIL|XPASS|ERROR' | wc -l)
	skipped=$(($(trs "$2" SKIP | wc -l) + $(cmocka_skips "$2" | wc -l)))
	[ $((passed + failed + skipped)) -gt 0 ] || failed=1
	echo "$passed $failed $skipped" >"$logs/$1.count"
	cmocka_skips "$2" | sed 's/^/SKIP /'
	for file in $(trs "$2" 'FAIL|XPASS|ERROR|SKIP'); do
		echo "---- ${file#"$2"/}"
		cat "${file%.trs}.log"
	done
}

# count_log NAME STATUS: "PASSED FAILED SKIPPED" of a step: from its closing line, else its TAP,
# else its lines `ok` and `FAILED`, else its exit status.
count_log()
{
	local log=$logs/$1.log line
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
	if [ "$2" = 77 ]; then
		echo 0 0 1
	elif [ -n "$line" ]; then
		sed -E 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?.*/\1 \2 0\4/' <<<"$line"
	elif grep -qE '^(ok|not ok|FAILED) ' "$log"; then
		awk '/^ok .*# *[Ss][Kk][Ii][Pp]/ { s++; next } /^ok / { p++ } /^(not ok|FAILED) / { f++ }
			END { print p + 0, f + 0, s + 0 }' "$log"
	elif [ "$2" = 0 ]; then
		echo 1 0 0
	else
		echo 0 1 0
	fi
}

# excerpt LOG: the lines that name a failure, then the logs that follow a line of `----`, or the end
excerpt()
{
	{
		grep -E '^(FAILED|FAIL:|ERROR:|SKIP|not ok) |^SKIP:|^  replay: |error:|undefined reference|\*\*\*' \
			"$1" | awk '!seen[$0]++'
		sed '/^---- /,$!d' "$1" | grep . || tail -n 40 "$1"
	} | sed 's/^/    /'
	echo "    the whole log: $1"
}

# report NAME STATUS SECONDS: one line, the limits that hold, and the excerpt of a failure, or of a
# skip if CI=true
report()
{
	local p f s word=ok line
	if [ "$2" = 125 ] && [ -e "$work/over" ]; then
		[ -e "$logs/$1.result" ] || {
			echo "FAILED $1: not run, because the limit is over"
			echo "0 1 0" >"$logs/$1.result"
		}
		return 1
	fi
	if [ -s "$logs/$1.count" ]; then
		read -r p f s <"$logs/$1.count"
	else
		read -r p f s < <(count_log "$1" "$2")
	fi
	p=$((10#$p)) f=$((10#$f)) s=$((10#$s))
	[ "$2" = 0 ] || [ "$2" = 77 ] || [ $f -gt 0 ] || f=1
	[ $((p + f + s)) -gt 0 ] || f=1
	[ "${CI:-}" != true ] || f=$((f + s))
	[ $f = 0 ] || word=FAILED
	line="$word $1 ($3 s): $p passed, $f failed"
	[ $s = 0 ] || line="$line, $s skipped"
	echo "$line"
	grep -E '^(drawn|left out): |^ok .*: HELD: ' "$logs/$1.log" | sed 's/^/    /'
	echo "$p $f $s" >"$logs/$1.result"
	[ $f = 0 ] && [ $s = 0 ] || excerpt "$logs/$1.log"
	[ $f = 0 ] || echo "    alone: ELECTD_SEED=${ELECTD_SEED:-} tests/run.sh $1 --keep"
	[ $f = 0 ]
}

# total: the closing line; the status is 0 if nothing has failed and something has passed
total()
{
	local p f s
	read -r p f s < <(cat "$logs"/*.result 2>/dev/null |
		awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
	if [ "$s" = 0 ] || [ "${CI:-}" = true ]; then
		echo "$p passed, $f failed"
	else
		echo "$p passed, $f failed, $s skipped"
	fi
	[ "$f" = 0 ] && [ "$p" -gt 0 ]
}
