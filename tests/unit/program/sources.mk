# SPDX-License-Identifier: Apache-2.0

UNIT_TESTS += \
	%D%/test_crash \
	%D%/test_guarded \
	%D%/test_kernel \
	%D%/test_manager \
	%D%/test_options \
	%D%/test_signals \
	%D%/test_status
