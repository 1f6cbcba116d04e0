# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/hookplan_bench.h \
	%D%/hookplan_judge.h \
	%D%/hookplan_word.h

UNIT_TESTS += \
	%D%/test_hookplan \
	%D%/test_hookplan_history \
	%D%/test_hookplan_release \
	%D%/test_line \
	%D%/test_links \
	%D%/test_messages \
	%D%/test_narrate \
	%D%/test_places \
	%D%/test_ranks \
	%D%/test_shown \
	%D%/test_values
