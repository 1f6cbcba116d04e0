#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests the benchmark's observer and tables with made-up reports of hosts.
set -eu
command -v python3 >/dev/null || {
	echo "skipped: no python3 here"
	exit 77
}
exec python3 -B "${srcdir:-.}/tests/bench/test_bench.py"
