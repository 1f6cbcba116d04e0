# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/samples.h \
	%D%/surgery.h

UNIT_TESTS += \
	%D%/test_refused \
	%D%/test_wire
