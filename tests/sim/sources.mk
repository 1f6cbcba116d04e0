# SPDX-License-Identifier: Apache-2.0

SIM_TESTS += \
	%D%/exact.sh \
	%D%/stories.sh

EXTRA_DIST += \
	%D%/mutants \
	%D%/mutants.sh \
	%D%/old_state.sh \
	%D%/seeds.txt \
	%D%/stories
