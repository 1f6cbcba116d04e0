# SPDX-License-Identifier: Apache-2.0

SIM_TESTS += \
	%D%/compare.sh \
	%D%/diagrams.sh \
	%D%/exact.sh \
	%D%/promise.sh \
	%D%/stories.sh

EXTRA_DIST += \
	%D%/compare.txt \
	%D%/lab \
	%D%/mutants \
	%D%/mutants.sh \
	%D%/old_state.sh \
	%D%/page.py \
	%D%/seeds.txt \
	%D%/stories
