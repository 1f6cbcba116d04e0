# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/ends.h

UNIT_TESTS += \
	%D%/test_session \
	%D%/test_sessions \
	%D%/test_keys \
	%D%/test_unverified \
	%D%/test_trust \
	%D%/test_unresponsive
