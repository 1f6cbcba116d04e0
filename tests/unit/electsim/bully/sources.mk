# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/bench_bully.h

UNIT_TESTS += \
	%D%/test_candidate \
	%D%/test_halted \
	%D%/test_table

%C%_test_candidate_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_halted_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_table_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
