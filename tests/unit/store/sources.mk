# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/dir.h

UNIT_TESTS += \
	%D%/test_disk \
	%D%/test_keep \
	%D%/test_slot \
	%D%/test_store
