# SPDX-License-Identifier: Apache-2.0

UNIT_TESTS += \
	%D%/test_address \
	%D%/test_definition \
	%D%/test_heard \
	%D%/test_links \
	%D%/test_node \
	%D%/test_overheard
