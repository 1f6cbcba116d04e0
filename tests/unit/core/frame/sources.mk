# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/bench.h \
	%D%/bench_step.h \
	%D%/old_role.h

UNIT_TESTS += \
	%D%/test_algorithm \
	%D%/test_assembly \
	%D%/test_bar \
	%D%/test_counter \
	%D%/test_elect \
	%D%/test_keys \
	%D%/test_leave \
	%D%/test_lists \
	%D%/test_adaptive \
	%D%/test_phase \
	%D%/test_preempt_delay \
	%D%/test_put_back \
	%D%/test_quorum \
	%D%/test_resign_to \
	%D%/test_role \
	%D%/test_sick \
	%D%/test_spare \
	%D%/test_until \
	%D%/test_roster \
	%D%/test_stall \
	%D%/test_view \
	%D%/test_will
