# SPDX-License-Identifier: Apache-2.0

UNIT_TESTS += \
	%D%/test_frame \
	%D%/test_message \
	%D%/test_site \
	%D%/test_plan

%C%_test_frame_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_message_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_site_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
%C%_test_plan_LDADD = $(ELECTADDRESS_LIBS) $(CMOCKA_LIBS)
