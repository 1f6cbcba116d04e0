# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/dir.h \
	%D%/text.h

UNIT_TESTS += \
	%D%/test_conf \
	%D%/test_file \
	%D%/test_key \
	%D%/test_print
