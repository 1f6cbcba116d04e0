# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/exact_bench.h

UNIT_TESTS += \
	%D%/test_calm \
	%D%/test_check \
	%D%/test_compare \
	%D%/test_exact \
	%D%/test_flood \
	%D%/test_forge \
	%D%/test_growth \
	%D%/test_omega \
	%D%/test_queue \
	%D%/test_rings \
	%D%/test_road \
	%D%/test_seed \
	%D%/test_story

%C%_test_calm_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_check_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_compare_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_exact_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_flood_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_forge_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_growth_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_growth_LDFLAGS = -Wl,--wrap=elect_id_equal -Wl,--wrap=elect_id_compare
%C%_test_omega_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_queue_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_rings_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_road_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_seed_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
%C%_test_story_LDADD = $(ELECTSIM_LIBS) $(CMOCKA_LIBS)
