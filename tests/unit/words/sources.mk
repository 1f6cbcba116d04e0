# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/false_journal.h \
	%D%/history_scene.h

UNIT_TESTS += \
	%D%/test_addresses \
	%D%/test_history \
	%D%/test_hooks \
	%D%/test_journal \
	%D%/test_log \
	%D%/test_metrics \
	%D%/test_service \
	%D%/test_times \
	%D%/test_why
