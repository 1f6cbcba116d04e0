# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/bench_bully.h

UNIT_TESTS += \
	%D%/test_candidate \
	%D%/test_halted \
	%D%/test_table
