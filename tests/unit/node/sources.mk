# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/other_peer.h

UNIT_TESTS += \
	%D%/test_address \
	%D%/test_addresses \
	%D%/test_definition \
	%D%/test_heard \
	%D%/test_links \
	%D%/test_node \
	%D%/test_other \
	%D%/test_overheard
