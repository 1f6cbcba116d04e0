#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Nothing depends on the wall clock: only one file reads it, and it is only printed. The test
# searches the sources for names, and the daemons and libraries for symbols.
set -eu
build=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0
wrong()
{
	echo "$*"
	failed=1
}

# code PATTERN: FILE:LINE:TEXT of the code of daemon, library and electctl, without comments
code()
{
	list_c | grep -E '^(daemon|lib|tools/electctl)/' | xargs grep -nE -- "$1" |
		grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/?\*|//)' || true
}

# only PATTERN FILES WHY: PATTERN occurs in each of FILES and in no other file
only()
{
	local found file
	found=$(code "$1")
	for file in ${2//|/ }; do
		grep -q "^$file:" <<<"$found" || wrong "$file does not use $1: drop it from the list"
	done
	found=$(grep -vE "^(${2//./\\.}):" <<<"$found" || true)
	[ -z "$found" ] || wrong "$3:
$found"
}

# The files that read it, convert it to text, and pass it on.
only 'CLOCK_(REALTIME|TAI)' 'daemon/node/answers.c' 'the wall clock may be read only for status and events'
only '(local|gm)time(_r)?\(|mktime\(|timegm\(|strftime\(' \
	'daemon/control/shapes.c|daemon/words/why.c|tools/electctl/text.c|tools/electctl/journal.c' \
	'times become text only for users'
only 'realtime_us' \
	'daemon/node/answers.c|daemon/control/control.h|daemon/control/shapes.c|daemon/control/methods.c|daemon/words/why.h|daemon/words/why.c|tools/electctl/journal.c|tools/electctl/journal.h' \
	'the wall clock may only be printed'

# These functions read it or wait by it.
forbidden='time gettimeofday ftime timespec_get stime settimeofday clock_settime adjtime
	pthread_cond_timedwait pthread_mutex_timedlock sem_timedwait mq_timedreceive mq_timedsend
	alarm setitimer'
for file in electd electd-hookd libelect.a libelectdaemon.a libelectclient.a; do
	[ -e "$build/$file" ] || { wrong "$file is missing"; continue; }
	asked=$(nm --undefined-only "$build/$file" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' |
		sort -u)
	[ -n "$asked" ] || wrong "$file asks for nothing: it was not judged"
	for symbol in $forbidden; do
		! grep -qx "$symbol" <<<"$asked" || wrong "$file may not use $symbol"
	done
done

asked=$(comm -23 <(nm --undefined-only "$build/libelect.a" | awk '$1 == "U" { print $2 }' | sort -u) \
	<(nm --defined-only "$build/libelect.a" | awk 'NF == 3 { print $3 }' | sort -u))
[ -n "$asked" ] || wrong "libelect.a asks for nothing: it was not judged"
! grep -E '^(clock|time|timerfd|nanosleep|usleep|sleep)' <<<"$asked" ||
	wrong "the core knows a clock"
exit $failed
