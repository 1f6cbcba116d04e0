#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Prometheus' promtool checks the metrics. tests/unit/words/test_metrics.c checks them without it.
set -eu

program=$PWD/tests/unit/words/test_metrics
command -v promtool >/dev/null || {
	echo "skipped: no promtool here (part of Debian's prometheus; tests/run.sh tidy gets it)"
	exit 77
}
[ -x "$program" ] || { echo "no $program: make check builds it"; exit 1; }
metrics=$(METRICS_PRINT=1 "$program")
grep -q '^electd_is_leader{domain="[^"]*"} 1$' <<<"$metrics" || { echo "no metrics: $metrics"; exit 1; }
complaints=$(promtool check metrics <<<"$metrics" 2>&1) && status=0 || status=$?
[ $status = 0 ] && [ -z "$complaints" ] || {
	echo "promtool: $complaints"
	exit 1
}
