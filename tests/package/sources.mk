# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	%D%/booted.py \
	%D%/newcomer.py \
	%D%/proxy.py \
	%D%/run.sh
