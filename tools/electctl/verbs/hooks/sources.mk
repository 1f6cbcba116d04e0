# SPDX-License-Identifier: Apache-2.0

libelectctl_a_SOURCES += \
	%D%/folders.c \
	%D%/hooks.c \
	%D%/hooks.h \
	%D%/run.c \
	%D%/table.c \
	%D%/test.c
