# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	%D%/guide.py \
	%D%/run.sh \
	%D%/unit.py
