# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/machine.h

UNIT_TESTS += \
	%D%/test_announce \
	%D%/test_copy \
	%D%/test_frame \
	%D%/test_message \
	%D%/test_note \
	%D%/test_site \
	%D%/test_plan \
	%D%/test_report \
	%D%/test_rtnl

%C%_test_announce_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_copy_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_frame_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_message_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_note_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_site_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_plan_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_report_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_rtnl_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
