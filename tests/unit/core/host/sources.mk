# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/host_fake.h

UNIT_TESTS += \
	%D%/test_host \
	%D%/test_host_addresses \
	%D%/test_host_keys \
	%D%/test_host_others \
	%D%/test_host_put_back \
	%D%/test_host_reach \
	%D%/test_host_recheck \
	%D%/test_host_rekeyed \
	%D%/test_host_successors \
	%D%/test_host_unverified \
	%D%/test_host_ways \
	%D%/test_ration
