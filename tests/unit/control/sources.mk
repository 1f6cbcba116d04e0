# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/bench.h \
	%D%/world.h

UNIT_TESTS += \
	%D%/test_call \
	%D%/test_history \
	%D%/test_holders \
	%D%/test_interface \
	%D%/test_places \
	%D%/test_ranks \
	%D%/test_request \
	%D%/test_socket \
	%D%/test_status \
	%D%/test_subuid \
	%D%/test_watch
