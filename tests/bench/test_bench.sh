#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The benchmark's observer and tables, on made-up words of hosts.
set -eu
command -v python3 >/dev/null || {
	echo "skipped: no python3 here"
	exit 77
}
exec python3 -B "${srcdir:-.}/tests/bench/test_bench.py"
