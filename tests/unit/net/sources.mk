# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/machine.h

UNIT_TESTS += \
	%D%/test_behind \
	%D%/test_choose \
	%D%/test_dump \
	%D%/test_homes \
	%D%/test_kernel \
	%D%/test_life \
	%D%/test_links \
	%D%/test_looks \
	%D%/test_monitor \
	%D%/test_net \
	%D%/test_net6 \
	%D%/test_notes \
	%D%/test_reader \
	%D%/test_subnet \
	%D%/test_ways
