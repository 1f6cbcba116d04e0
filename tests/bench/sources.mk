# SPDX-License-Identifier: Apache-2.0

TIDY_TESTS += \
	%D%/test_bench.sh

EXTRA_DIST += \
	%D%/alone.sh \
	%D%/bench.py \
	%D%/beside.py \
	%D%/changes.py \
	%D%/faults.py \
	%D%/gaps.py \
	%D%/kinds.py \
	%D%/limits.py \
	%D%/missed.py \
	%D%/observe.py \
	%D%/run.sh \
	%D%/scale.py \
	%D%/scale.sh \
	%D%/steady.py \
	%D%/table.py \
	%D%/test_bench.py
