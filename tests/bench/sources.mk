# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	%D%/bench.py \
	%D%/faults.py \
	%D%/kinds.py \
	%D%/observe.py \
	%D%/run.sh \
	%D%/table.py
