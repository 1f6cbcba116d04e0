# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/facts.h \
	%D%/folders.h \
	%D%/server.h

UNIT_TESTS += \
	%D%/test_address \
	%D%/test_asks \
	%D%/test_client \
	%D%/test_complete \
	%D%/test_decode \
	%D%/test_doctor \
	%D%/test_doctor_firewall \
	%D%/test_doctor_judge \
	%D%/test_health \
	%D%/test_hooks \
	%D%/test_hooks_test \
	%D%/test_hostile \
	%D%/test_keys \
	%D%/test_options \
	%D%/test_probe \
	%D%/test_run \
	%D%/test_stoptime \
	%D%/test_text \
	%D%/test_unit \
	%D%/test_verbs

%C%_test_address_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_asks_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_client_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_complete_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_decode_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_doctor_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_doctor_firewall_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_doctor_judge_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_health_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_hooks_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_hooks_test_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_hostile_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_keys_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_options_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_probe_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_run_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_stoptime_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_text_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_unit_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
%C%_test_verbs_LDADD = $(ELECTCTL_LIBS) $(CMOCKA_LIBS)
