# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/dir.h \
	%D%/run.h \
	%D%/server.h \
	%D%/systemctl.h \
	%D%/vet.h \
	%D%/virtual.h \
	%D%/whole.h

UNIT_TESTS += \
	%D%/test_aside \
	%D%/test_bound \
	%D%/test_call \
	%D%/test_changes \
	%D%/test_command \
	%D%/test_command_end \
	%D%/test_command_output \
	%D%/test_definition \
	%D%/test_event \
	%D%/test_hang \
	%D%/test_link \
	%D%/test_lister \
	%D%/test_phase \
	%D%/test_promoted \
	%D%/test_stop \
	%D%/test_target \
	%D%/test_tell \
	%D%/test_vet \
	%D%/test_vet_older \
	%D%/test_vet_walk \
	%D%/test_writer

%C%_test_aside_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_bound_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_call_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_changes_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_command_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_command_end_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_command_output_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_definition_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_event_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_hang_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_link_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_lister_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_phase_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_promoted_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_stop_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_target_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_tell_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_vet_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_vet_older_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_vet_walk_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
%C%_test_writer_LDADD = $(ELECTHOOKD_LIBS) $(CMOCKA_LIBS)
