# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	%D%/fencing.py \
	%D%/guide.py \
	%D%/run.sh \
	%D%/unit.py
