#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs one test program for `make check`. A fuzz program gets its corpus, and -runs=0, with which a
# real fuzzer (--enable-fuzzers) only replays it. $TEST_WRAPPER, such as valgrind or gdb, is put in
# front of the program. A program that hangs is ended after $TEST_SECONDS. After a failure, the last
# line shows how to run the program alone.
set -eu

program=$1
name=$(basename "$program")
case $name in
fuzz_*)
	set -- "$program" -runs=0 "${srcdir:-.}/tests/fuzz/corpus/${name#fuzz_}"
	;;
esac
# Words of TEST_WRAPPER are meant to be split.
# shellcheck disable=SC2086
timeout --foreground --kill-after=5 "${TEST_SECONDS:-180}" ${TEST_WRAPPER:-} "$@" || {
	status=$?
	[ $status != 124 ] || echo "  it took longer than ${TEST_SECONDS:-180} s and was ended"
	[ $status = 77 ] || echo "  replay: srcdir=${srcdir:-.} bash $0 $program"
	exit $status
}
