# SPDX-License-Identifier: Apache-2.0

UNIT_TESTS += \
	%D%/test_homes \
	%D%/test_links \
	%D%/test_looks \
	%D%/test_net \
	%D%/test_net6 \
	%D%/test_reader
