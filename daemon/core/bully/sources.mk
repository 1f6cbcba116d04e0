# SPDX-License-Identifier: Apache-2.0

libelect_a_SOURCES += \
	%D%/table.c
