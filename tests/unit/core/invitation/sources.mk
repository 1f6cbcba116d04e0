# SPDX-License-Identifier: Apache-2.0

UNIT_TESTS += \
	%D%/test_address \
	%D%/test_check \
	%D%/test_suspicion \
	%D%/test_foreign \
	%D%/test_invited \
	%D%/test_join \
	%D%/test_members \
	%D%/test_merge \
	%D%/test_reasons \
	%D%/test_start \
	%D%/test_succession \
	%D%/test_table \
	%D%/test_watch \
	%D%/test_worth
