# SPDX-License-Identifier: Apache-2.0

TIDY_TESTS += \
	%D%/bars.sh \
	%D%/catalog.sh \
	%D%/completion.sh \
	%D%/directions.sh \
	%D%/driver.sh \
	%D%/format.sh \
	%D%/links.sh \
	%D%/man.sh \
	%D%/manual.sh \
	%D%/mutants.sh \
	%D%/outlives.sh \
	%D%/own_root.sh \
	%D%/pages.sh \
	%D%/phases.sh \
	%D%/sources.sh \
	%D%/sleeps.sh \
	%D%/spdx.sh \
	%D%/states.sh \
	%D%/units.sh \
	%D%/version.sh \
	%D%/words.sh

AREA_TESTS += \
	%D%/completion_shells.sh \
	%D%/promtool.sh \
	%D%/types.sh

PLAIN_TESTS += \
	%D%/abi.sh \
	%D%/clock.sh \
	%D%/core_symbols.sh \
	%D%/hardening.sh \
	%D%/hookd_symbols.sh

EXTRA_DIST += \
	%D%/abi.c \
	%D%/list.sh \
	%D%/words.py
